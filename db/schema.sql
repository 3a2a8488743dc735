-- scantune's tuning database, schema version 4. It holds integers, numbers and enum tokens only: a database is data,
-- and the runtime checks every row again before it uses it.
-- application_id spells "scnt"; both pragmas are checked on opening.
PRAGMA application_id = 1935896180;
PRAGMA user_version = 4;

CREATE TABLE device (
  id       INTEGER PRIMARY KEY,
  arch     TEXT NOT NULL,               -- sm_90, host
  name     TEXT NOT NULL,               -- as the driver reports it: H100 and H200 share an arch
  sm_count INTEGER NOT NULL CHECK (sm_count > 0),
  UNIQUE (arch, name, sm_count)
);

CREATE TABLE problem (
  id        INTEGER PRIMARY KEY,
  algorithm TEXT NOT NULL,              -- scan
  request   TEXT NOT NULL,              -- canonical JSON: members in the order of the algorithm's table, no spaces; types
                                        -- are always named, others left out at their default, so that a member that is
                                        -- added later changes no row
  shape     TEXT NOT NULL,              -- classes of the extents beside n; empty where there are none
  UNIQUE (algorithm, request, shape)
);

-- One invocation of the tuner: where its numbers come from.
CREATE TABLE run (
  id               INTEGER PRIMARY KEY,
  started_at       TEXT NOT NULL,       -- UTC, ISO 8601
  tool_version     TEXT NOT NULL,
  template_hash    TEXT NOT NULL,       -- of the kernel templates
  compiler_version TEXT NOT NULL,       -- NVRTC's, or the host compiler's
  driver_version   TEXT NOT NULL,
  effort           TEXT NOT NULL CHECK (effort IN ('quick', 'normal', 'exhaustive')),
  seed             INTEGER NOT NULL,
  policy           TEXT NOT NULL        -- how times were taken, as JSON; its cut_short: the budget ended these searches
);

-- Every candidate that was tried, failures too.
CREATE TABLE trial (
  id          INTEGER PRIMARY KEY,
  run_id      INTEGER NOT NULL REFERENCES run (id),
  device_id   INTEGER NOT NULL REFERENCES device (id),
  problem_id  INTEGER NOT NULL REFERENCES problem (id),
  n           INTEGER NOT NULL CHECK (n > 0),
  family      TEXT NOT NULL,
  config      TEXT NOT NULL,            -- canonical JSON: parameters in the order of the family's table, no spaces
  template_hash TEXT NOT NULL,          -- a trial is repeated once the templates have changed
  status      TEXT NOT NULL CHECK (status IN ('ok', 'compile_error', 'wrong_result', 'launch_error', 'timeout', 'crash')),
  reason      TEXT,                     -- why it failed
  is_default  INTEGER NOT NULL DEFAULT 0 CHECK (is_default IN (0, 1)),
  median_us   REAL CHECK (median_us > 0),
  spread      REAL,                     -- (third - first quartile) / median
  samples     INTEGER,
  compile_ms  REAL,
  sm_clock_mhz INTEGER,                 -- while measuring; null where there is none to read
  finished_at TEXT NOT NULL,
  CHECK ((status = 'ok') = (median_us IS NOT NULL)),
  UNIQUE (device_id, problem_id, n, family, config, template_hash)
);

-- The winner of a finished search, one per device, problem and N. It was measured again in the final round. Its
-- probes are all places where it was timed against what runs there without it, also where it lost and does not serve.
CREATE TABLE record (
  device_id    INTEGER NOT NULL REFERENCES device (id),
  problem_id   INTEGER NOT NULL REFERENCES problem (id),
  n            INTEGER NOT NULL CHECK (n > 0),
  family       TEXT NOT NULL,
  config       TEXT NOT NULL,
  run_id       INTEGER NOT NULL REFERENCES run (id),
  median_us    REAL NOT NULL CHECK (median_us > 0),
  spread       REAL NOT NULL,
  default_us   REAL CHECK (default_us > 0),           -- the default config in the same round; null if it has no time
  ceiling_us   REAL,                                  -- a copy of as many bytes in the same round
  finished_at  TEXT NOT NULL,
  served_above INTEGER NOT NULL,        -- the range: it serves more items than this,
  served_up_to INTEGER NOT NULL,        -- and no more than this
  probes       TEXT NOT NULL,           -- JSON: [[n, offset, microseconds of it, of what runs without it], ...]; offset:
                                        -- how many items every array lies behind a boundary
  CHECK (0 <= served_above AND served_above < n AND n <= served_up_to),
  PRIMARY KEY (device_id, problem_id, n)
) WITHOUT ROWID;

-- Between the records of two neighbouring N, that of n_high is used from n_switch on. Both configs were measured in
-- turn at sizes between. A record that changes its config drops its breakpoints; a new record drops the breakpoint that
-- spans it.
CREATE TABLE breakpoint (
  device_id    INTEGER NOT NULL,
  problem_id   INTEGER NOT NULL,
  n_low        INTEGER NOT NULL,
  n_high       INTEGER NOT NULL,
  n_switch     INTEGER NOT NULL,
  probes       TEXT NOT NULL,           -- JSON: [[n, microseconds of n_low's config, of n_high's], ...]; null: it failed
  regret       REAL NOT NULL CHECK (regret >= 0),     -- by the probes, the most that the one in use is slower: 0.02 is 2 %
  run_id       INTEGER NOT NULL REFERENCES run (id),
  finished_at  TEXT NOT NULL,
  CHECK (n_low < n_switch AND n_switch <= n_high),
  PRIMARY KEY (device_id, problem_id, n_low),
  FOREIGN KEY (device_id, problem_id, n_low) REFERENCES record (device_id, problem_id, n),
  FOREIGN KEY (device_id, problem_id, n_high) REFERENCES record (device_id, problem_id, n)
) WITHOUT ROWID;
