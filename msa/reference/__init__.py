"""The operators of MSA in plain torch: the path without a kernel.

`selection`, `attention` and `index_kl` compute blockwise, in memory linear in the number of tokens,
what `msa.testing.definition` states.
"""
