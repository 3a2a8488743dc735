-- What the schema of a file holds beyond what schema.sql declares, in any version: rows (kind, name), and none for a
-- good file. Views, triggers, virtual tables, generated columns, indexes on expressions, constraints and defaults run
-- what a stranger wrote, and nothing can interrupt a function that takes long. So this comes before any other statement
-- but PRAGMA application_id and user_version, in one transaction with all that follow. SQLite itself evaluates
-- generated columns of sqlite_stat1 while it loads a schema, and consults no authorizer. So a reader first does 'SELECT
-- 1 FROM sqlite_master LIMIT 1' while SQLITE_LIMIT_FUNCTION_ARG is 0: a schema with a function in it does not load. The
-- reader then raises the limit for this query. The names are a stranger's text.
WITH declared (name) AS (
       VALUES ('device'), ('problem'), ('run'), ('trial'), ('record'), ('breakpoint')
     ),
     entry AS (
       SELECT type, name, sql,
              -- SQLite stores the statement of a table of its own with these words before the name, whatever was typed.
              type = 'table' AND name IN declared AND sql GLOB 'CREATE TABLE ' || name || '[ (]*' AS is_declared,
              -- One that belongs to a PRIMARY KEY or UNIQUE of a table has no statement.
              type = 'index' AND sql IS NULL AS is_of_table
       FROM sqlite_master
     ),
     -- Only these are looked into: the columns of a view are found by working through its query.
     plain AS (SELECT name, sql FROM entry WHERE is_declared)
SELECT CASE WHEN type = 'table' AND sql NOT GLOB 'CREATE TABLE *' THEN 'virtual table' ELSE type END AS kind, name
FROM entry
WHERE NOT is_of_table AND NOT is_declared
UNION ALL
SELECT 'generated column', plain.name || '.' || info.name
FROM plain, pragma_table_xinfo(plain.name) AS info
WHERE info.hidden <> 0
UNION ALL
SELECT 'default of column', plain.name || '.' || info.name
FROM plain, pragma_table_xinfo(plain.name) AS info
WHERE info.dflt_value <> '0'
UNION ALL
-- The constraints of schema.sql are taken away; another has the word in it.
SELECT 'constraint of table', name
FROM plain
WHERE instr(lower(
        replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(sql,
          'CHECK (sm_count > 0)', ''),
          'CHECK (effort IN (''quick'', ''normal'', ''exhaustive''))', ''),
          'CHECK (n > 0)', ''),
          'CHECK (status IN (''ok'', ''compile_error'', ''wrong_result'', ''launch_error'', ''timeout'', ''crash''))', ''),
          'CHECK (is_default IN (0, 1))', ''),
          'CHECK (median_us > 0)', ''),
          'CHECK (0 <= served_above AND served_above < n AND n <= served_up_to)', ''),
          'CHECK ((status = ''ok'') = (median_us IS NOT NULL))', ''),
          'CHECK (default_us > 0)', ''),
          'CHECK (regret >= 0)', ''),
          'CHECK (n_low < n_switch AND n_switch <= n_high)', '')
      ), 'check') > 0
