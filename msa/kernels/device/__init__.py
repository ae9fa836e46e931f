"""What kernels of several operators share on the device; importing it takes the DSL."""
