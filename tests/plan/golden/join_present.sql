-- join: ordered, revised
SELECT "a_k" AS "k",
    ("a_v" + "b_v") AS "both",
    make_timestamptz(__ts) AS event_time,
    CASE WHEN __given THEN 'final' ELSE 'revision' END AS kind,
    CAST(CASE WHEN __given THEN 0 ELSE 1 END AS INT) AS revision,
    CAST(NULL AS DOUBLE) AS coverage,
    make_timestamptz($emitted_at::BIGINT) AS emitted_at
  FROM results
  ORDER BY event_time

-- join: revised
SELECT "a_k" AS "k",
    ("a_v" + "b_v") AS "both",
    make_timestamptz(__ts) AS event_time,
    CASE WHEN __given THEN 'final' ELSE 'revision' END AS kind,
    CAST(CASE WHEN __given THEN 0 ELSE 1 END AS INT) AS revision,
    CAST(NULL AS DOUBLE) AS coverage,
    make_timestamptz($emitted_at::BIGINT) AS emitted_at
  FROM results

-- join: recall
SELECT "a_k" AS "k",
    ("a_v" + "b_v") AS "both",
    make_timestamptz(__ts) AS event_time,
    CASE WHEN __given THEN 'final' ELSE 'revision' END AS kind,
    CAST(CASE WHEN __given THEN 0 ELSE 1 END AS INT) AS revision,
    CAST(NULL AS DOUBLE) AS coverage,
    make_timestamptz($emitted_at::BIGINT) AS emitted_at
  FROM results

-- join: recall, ordered
SELECT "a_k" AS "k",
    ("a_v" + "b_v") AS "both",
    make_timestamptz(__ts) AS event_time,
    CASE WHEN __given THEN 'final' ELSE 'revision' END AS kind,
    CAST(CASE WHEN __given THEN 0 ELSE 1 END AS INT) AS revision,
    CAST(NULL AS DOUBLE) AS coverage,
    make_timestamptz($emitted_at::BIGINT) AS emitted_at
  FROM results
  ORDER BY event_time

-- join: recall, revised, inner node
SELECT "a_ts" AS "a_ts",
    "a_k" AS "a_k",
    "a_v" AS "a_v",
    "b_ts" AS "b_ts",
    "b_k" AS "b_k",
    "b_v" AS "b_v",
    "c_ts" AS "c_ts",
    "c_k" AS "c_k",
    "c_v" AS "c_v",
    make_timestamptz(__ts) AS event_time,
    CASE WHEN __given THEN 'final' ELSE 'revision' END AS kind,
    CAST(CASE WHEN __given THEN 0 ELSE 1 END AS INT) AS revision,
    CAST(NULL AS DOUBLE) AS coverage,
    make_timestamptz($emitted_at::BIGINT) AS emitted_at
  FROM results

-- join: left
SELECT "a_k" AS "k",
    ("a_v" + "b_v") AS "both",
    make_timestamptz(__ts) AS event_time,
    CASE WHEN __given THEN 'final' WHEN __withdrawn THEN 'withdrawn' ELSE 'revision' END AS kind,
    CAST(CASE WHEN __given THEN 0 ELSE 1 END AS INT) AS revision,
    CAST(NULL AS DOUBLE) AS coverage,
    make_timestamptz($emitted_at::BIGINT) AS emitted_at
  FROM results

-- join: left, revised
SELECT "a_ts" AS "a_ts",
    "a_k" AS "a_k",
    "a_v" AS "a_v",
    "b_ts" AS "b_ts",
    "b_k" AS "b_k",
    "b_v" AS "b_v",
    make_timestamptz(__ts) AS event_time,
    CASE WHEN __given THEN 'final' WHEN __withdrawn THEN 'withdrawn' ELSE 'revision' END AS kind,
    CAST(CASE WHEN __given THEN 0 ELSE 1 END AS INT) AS revision,
    CAST(NULL AS DOUBLE) AS coverage,
    make_timestamptz($emitted_at::BIGINT) AS emitted_at
  FROM results

-- join: three, two optional
SELECT "a_ts" AS "a_ts",
    "a_k" AS "a_k",
    "a_v" AS "a_v",
    "b_ts" AS "b_ts",
    "b_k" AS "b_k",
    "b_v" AS "b_v",
    "c_ts" AS "c_ts",
    "c_k" AS "c_k",
    "c_v" AS "c_v",
    make_timestamptz(__ts) AS event_time,
    CASE WHEN __given THEN 'final' WHEN __withdrawn THEN 'withdrawn' ELSE 'revision' END AS kind,
    CAST(CASE WHEN __given THEN 0 ELSE 1 END AS INT) AS revision,
    CAST(NULL AS DOUBLE) AS coverage,
    make_timestamptz($emitted_at::BIGINT) AS emitted_at
  FROM results

-- join: three, one optional
SELECT "a_ts" AS "a_ts",
    "a_k" AS "a_k",
    "a_v" AS "a_v",
    "b_ts" AS "b_ts",
    "b_k" AS "b_k",
    "b_v" AS "b_v",
    "c_ts" AS "c_ts",
    "c_k" AS "c_k",
    "c_v" AS "c_v",
    make_timestamptz(__ts) AS event_time,
    CASE WHEN __given THEN 'final' WHEN __withdrawn THEN 'withdrawn' ELSE 'revision' END AS kind,
    CAST(CASE WHEN __given THEN 0 ELSE 1 END AS INT) AS revision,
    CAST(NULL AS DOUBLE) AS coverage,
    make_timestamptz($emitted_at::BIGINT) AS emitted_at
  FROM results
