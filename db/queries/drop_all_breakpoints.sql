DELETE FROM breakpoint
