"""What all kernels are declared and launched by; it knows no operator."""
