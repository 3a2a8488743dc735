UPDATE breakpoint SET n_switch = n_high + 1
