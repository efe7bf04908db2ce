# Boots and ends: whether a way to run guests works at all.
true
