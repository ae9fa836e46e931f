"""The index branch's KL on a GPU: the loss and its unit gradients, over selected or all keys."""
