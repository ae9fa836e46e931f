"""`//msa:bench`: what selection, schedule, forward and backward cost, checked and measured."""
