-- windows: odd names
SELECT e.__age,
    CAST(epoch_us(f.emitted_at) - epoch_us(e.emitted_at) AS DOUBLE) AS __gap,
    e.prod,
    coalesce(CAST(e."It's" AS STRING), '') AS __group,
    epoch_us(f.window_end) AS __end,
    CAST(e.tuples AS DOUBLE) AS tuples,
    CAST(f.tuples AS DOUBLE) AS __tuples_final,
    CAST(e."All.of it" AS DOUBLE) AS "All.of it",
    CAST(f."All.of it" AS DOUBLE) AS "__All.of it_final"
  FROM said AS e
  JOIN finals AS f
  ON f.window_start = make_timestamptz(e.__start) AND f."It's" IS NOT DISTINCT FROM e."It's"
  WHERE f.kind = 'final'
  ORDER BY e.__start,
    __group,
    e.__age,
    e.prod

-- windows: estimates
SELECT e.__age,
    CAST(epoch_us(f.emitted_at) - epoch_us(e.emitted_at) AS DOUBLE) AS __gap,
    e.prod,
    coalesce(CAST(e."k" AS STRING), '') AS __group,
    epoch_us(f.window_end) AS __end,
    CAST(e.tuples AS DOUBLE) AS tuples,
    CAST(f.tuples AS DOUBLE) AS __tuples_final,
    CAST(e."n" AS DOUBLE) AS "n",
    CAST(f."n" AS DOUBLE) AS "__n_final",
    CAST(e."s" AS DOUBLE) AS "s",
    CAST(f."s" AS DOUBLE) AS "__s_final",
    CAST(e."top" AS DOUBLE) AS "top",
    CAST(f."top" AS DOUBLE) AS "__top_final"
  FROM said AS e
  JOIN finals AS f
  ON f.window_start = make_timestamptz(e.__start) AND f."k" IS NOT DISTINCT FROM e."k"
  WHERE f.kind = 'final'
  ORDER BY e.__start,
    __group,
    e.__age,
    e.prod

-- windows: estimates of two levels
SELECT e.__age,
    CAST(epoch_us(f.emitted_at) - epoch_us(e.emitted_at) AS DOUBLE) AS __gap,
    e.prod,
    coalesce(CAST(e."odd" AS STRING), '') AS __group,
    epoch_us(f.window_end) AS __end,
    CAST(e.tuples AS DOUBLE) AS tuples,
    CAST(f.tuples AS DOUBLE) AS __tuples_final,
    CAST(e."rows" AS DOUBLE) AS "rows",
    CAST(f."rows" AS DOUBLE) AS "__rows_final",
    CAST(e."best" AS DOUBLE) AS "best",
    CAST(f."best" AS DOUBLE) AS "__best_final",
    CAST(e."groups" AS DOUBLE) AS "groups",
    CAST(f."groups" AS DOUBLE) AS "__groups_final"
  FROM said AS e
  JOIN finals AS f
  ON f.window_start = make_timestamptz(e.__start) AND f."odd" IS NOT DISTINCT FROM e."odd"
  WHERE f.kind = 'final'
  ORDER BY e.__start,
    __group,
    e.__age,
    e.prod

-- windows: estimates of two levels, revised
SELECT e.__age,
    CAST(epoch_us(f.emitted_at) - epoch_us(e.emitted_at) AS DOUBLE) AS __gap,
    e.prod,
    coalesce(CAST(e."odd" AS STRING), '') AS __group,
    epoch_us(f.window_end) AS __end,
    CAST(e.tuples AS DOUBLE) AS tuples,
    CAST(f.tuples AS DOUBLE) AS __tuples_final,
    CAST(e."rows" AS DOUBLE) AS "rows",
    CAST(f."rows" AS DOUBLE) AS "__rows_final",
    CAST(e."best" AS DOUBLE) AS "best",
    CAST(f."best" AS DOUBLE) AS "__best_final",
    CAST(e."groups" AS DOUBLE) AS "groups",
    CAST(f."groups" AS DOUBLE) AS "__groups_final"
  FROM said AS e
  JOIN finals AS f
  ON f.window_start = make_timestamptz(e.__start) AND f."odd" IS NOT DISTINCT FROM e."odd"
  WHERE f.kind = 'final'
  ORDER BY e.__start,
    __group,
    e.__age,
    e.prod

-- windows: costly
SELECT e.__age,
    CAST(epoch_us(f.emitted_at) - epoch_us(e.emitted_at) AS DOUBLE) AS __gap,
    e.prod,
    coalesce(CAST(e."k" AS STRING), '') AS __group,
    epoch_us(f.window_end) AS __end,
    CAST(e.tuples AS DOUBLE) AS tuples,
    CAST(f.tuples AS DOUBLE) AS __tuples_final,
    CAST(e."n" AS DOUBLE) AS "n",
    CAST(f."n" AS DOUBLE) AS "__n_final",
    CAST(e."s" AS DOUBLE) AS "s",
    CAST(f."s" AS DOUBLE) AS "__s_final"
  FROM said AS e
  JOIN finals AS f
  ON f.window_start = make_timestamptz(e.__start) AND f."k" IS NOT DISTINCT FROM e."k"
  WHERE f.kind = 'final'
  ORDER BY e.__start,
    __group,
    e.__age,
    e.prod

-- windows: related
SELECT e.__age,
    CAST(epoch_us(f.emitted_at) - epoch_us(e.emitted_at) AS DOUBLE) AS __gap,
    e.prod,
    coalesce(CAST(e."k" AS STRING), '') AS __group,
    epoch_us(f.window_end) AS __end,
    CAST(e.tuples AS DOUBLE) AS tuples,
    CAST(f.tuples AS DOUBLE) AS __tuples_final,
    CAST(e."n" AS DOUBLE) AS "n",
    CAST(f."n" AS DOUBLE) AS "__n_final"
  FROM said AS e
  JOIN finals AS f
  ON f.window_start = make_timestamptz(e.__start) AND f."k" IS NOT DISTINCT FROM e."k"
  WHERE f.kind = 'final'
  ORDER BY e.__start,
    __group,
    e.__age,
    e.prod

-- join: aggregate above, estimated
SELECT e.__age,
    CAST(epoch_us(f.emitted_at) - epoch_us(e.emitted_at) AS DOUBLE) AS __gap,
    e.prod,
    coalesce(CAST(e."k" AS STRING), '') AS __group,
    epoch_us(f.window_end) AS __end,
    CAST(e.tuples AS DOUBLE) AS tuples,
    CAST(f.tuples AS DOUBLE) AS __tuples_final,
    CAST(e."n" AS DOUBLE) AS "n",
    CAST(f."n" AS DOUBLE) AS "__n_final",
    CAST(e."mean" AS DOUBLE) AS "mean",
    CAST(f."mean" AS DOUBLE) AS "__mean_final"
  FROM said AS e
  JOIN finals AS f
  ON f.window_start = make_timestamptz(e.__start) AND f."k" IS NOT DISTINCT FROM e."k"
  WHERE f.kind = 'final'
  ORDER BY e.__start,
    __group,
    e.__age,
    e.prod
