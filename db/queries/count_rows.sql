SELECT (SELECT count(*) FROM record) AS records,
       (SELECT count(*) FROM breakpoint) AS breakpoints,
       (SELECT count(*) FROM trial) AS trials
