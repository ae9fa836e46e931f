"""The operators of MSA in plain torch: the definition, and the path without a kernel.

`definition` states what is computed, densely, for chosen queries. `selection`, `attention` and
`index_kl` compute it blockwise, in memory linear in the number of tokens.
"""
