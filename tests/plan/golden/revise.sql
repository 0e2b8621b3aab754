-- windows: composite
SELECT c."__start",
    c."next",
    c."site",
    c.__start + 10000000 AS __end,
    p."mean",
    p."rate",
    p."share",
    p."spread",
    p."sd",
    p."money",
    p."fair",
    p."whole",
    p."round",
    p."long",
    CAST((coalesce(r.__seen, 0) + 1) * CASE WHEN p.__start IS NULL THEN -1 ELSE 1 END AS INT) AS revision
  FROM changed AS c
  LEFT JOIN (SELECT __start,
      __start + 10000000 AS __end,
      "next",
      "site",
      (CASE WHEN ("count_7870ce64" > CAST(0 AS BIGINT)) THEN ("dsum_b056ae31" / nullif(CAST("count_7870ce64" AS DOUBLE), 0)) ELSE CAST(NULL AS DOUBLE) END) AS "mean",
      (("sum_ac231eea") / nullif(CAST(("count_64d3797e") AS DOUBLE), 0)) AS "rate",
      (CAST(("sum_5f926afe") AS DOUBLE) / nullif(CAST(("count_7870ce64") AS DOUBLE), 0)) AS "share",
      (("max_f0cde295") - ("min_aec3472c")) AS "spread",
      (CASE WHEN ("count_7870ce64" > CAST(1 AS BIGINT)) THEN sqrt(("m2_90963b07" / nullif(CAST((sw_long(CAST("count_7870ce64" AS HUGEINT) - CAST(CAST(1 AS BIGINT) AS HUGEINT))) AS DOUBLE), 0))) ELSE CAST(NULL AS DOUBLE) END) AS "sd",
      ("sum_66a0a928") AS "money",
      (CASE WHEN ("count_9902c6ab" > CAST(0 AS BIGINT)) THEN TRY_CAST(CAST(CAST(sw_half_up(sw_unscaled("sum_66a0a928") * 1000000000000000000, nullif(sw_unscaled(TRY_CAST("count_9902c6ab" AS DECIMAL(20,0))), 0)) AS DECIMAL(38,0)) * CAST('0.00000000000000000001' AS DECIMAL(20,20)) AS DECIMAL(38,20)) AS DECIMAL(14,6)) ELSE CAST(NULL AS DECIMAL(14,6)) END) AS "fair",
      ("sum_bea04e62") AS "whole",
      ("sum_089eb323") AS "round",
      ("sum_af1155bb") AS "long"
    FROM (SELECT __start,
        "next",
        "site",
        sum("count_3321cfd5") AS "count_3321cfd5",
        sum("count_64d3797e") AS "count_64d3797e",
        sum("count_7870ce64") AS "count_7870ce64",
        sum("count_9902c6ab") AS "count_9902c6ab",
        sum("dsum_b056ae31") AS "dsum_b056ae31",
        sum("m2_90963b07" + coalesce("count_7870ce64" * ("mean_1ff39b70" - "__mean_1ff39b70") * ("mean_1ff39b70" - "__mean_1ff39b70"), 0)) AS "m2_90963b07",
        max("max_f0cde295") AS "max_f0cde295",
        max("__mean_1ff39b70") AS "mean_1ff39b70",
        min("min_aec3472c") AS "min_aec3472c",
        sw_long(sum("sum_089eb323")) AS "sum_089eb323",
        sum("sum_5f926afe") AS "sum_5f926afe",
        sum("sum_66a0a928") AS "sum_66a0a928",
        sum("sum_ac231eea") AS "sum_ac231eea",
        CASE WHEN count("sum_af1155bb") = count_if("count_3321cfd5" > 0) THEN CAST(CAST(sw_sum_exact("sum_af1155bb") AS DECIMAL(38,0)) * CAST('0.01' AS DECIMAL(2,2)) AS DECIMAL(38,2)) END AS "sum_af1155bb",
        sum("sum_bea04e62") AS "sum_bea04e62"
      FROM (SELECT *,
          sum("count_7870ce64" * "mean_1ff39b70") OVER (PARTITION BY __start, "next", "site") / nullif(sum("count_7870ce64") OVER (PARTITION BY __start, "next", "site"), 0) AS "__mean_1ff39b70"
        FROM (SELECT p.*
          FROM (SELECT *
            FROM (SELECT *,
                pane AS __start
              FROM panes)
            WHERE __start + 10000000 > pane AND true) AS p
          SEMI JOIN changed AS c
          ON p."__start" IS NOT DISTINCT FROM c."__start" AND p."next" IS NOT DISTINCT FROM c."next" AND p."site" IS NOT DISTINCT FROM c."site"))
      GROUP BY __start,
        "next",
        "site")) AS p
  ON p."__start" IS NOT DISTINCT FROM c."__start" AND p."next" IS NOT DISTINCT FROM c."next" AND p."site" IS NOT DISTINCT FROM c."site"
  LEFT JOIN (SELECT "__start",
      "next",
      "site",
      max(abs(revision)) AS __seen
    FROM told
    GROUP BY "__start",
      "next",
      "site") AS r
  ON r."__start" IS NOT DISTINCT FROM c."__start" AND r."next" IS NOT DISTINCT FROM c."next" AND r."site" IS NOT DISTINCT FROM c."site"

-- windows: odd names
SELECT c."__start",
    c."the ""k""",
    c."It's",
    c.__start + 10000000 AS __end,
    p."How many",
    p."S""um",
    CAST((coalesce(r.__seen, 0) + 1) * CASE WHEN p.__start IS NULL THEN -1 ELSE 1 END AS INT) AS revision
  FROM changed AS c
  LEFT JOIN (SELECT __start,
      __start + 10000000 AS __end,
      "the ""k""",
      "It's",
      ("count_64d3797e") AS "How many",
      ("sum_2815433c") AS "S""um"
    FROM (SELECT __start,
        "the ""k""",
        "It's",
        sum("count_64d3797e") AS "count_64d3797e",
        sum("sum_2815433c") AS "sum_2815433c"
      FROM (SELECT p.*
        FROM (SELECT *
          FROM (SELECT p.*,
              pane - (((pane - 0) % 5000000 + 5000000) % 5000000) - o.i * 5000000 AS __start
            FROM panes AS p
            CROSS JOIN range(0, 2) AS o(i))
          WHERE __start + 10000000 > pane AND true) AS p
        SEMI JOIN changed AS c
        ON p."__start" IS NOT DISTINCT FROM c."__start" AND p."the ""k""" IS NOT DISTINCT FROM c."the ""k""" AND p."It's" IS NOT DISTINCT FROM c."It's")
      GROUP BY __start,
        "the ""k""",
        "It's")) AS p
  ON p."__start" IS NOT DISTINCT FROM c."__start" AND p."the ""k""" IS NOT DISTINCT FROM c."the ""k""" AND p."It's" IS NOT DISTINCT FROM c."It's"
  LEFT JOIN (SELECT "__start",
      "the ""k""",
      "It's",
      max(abs(revision)) AS __seen
    FROM told
    GROUP BY "__start",
      "the ""k""",
      "It's") AS r
  ON r."__start" IS NOT DISTINCT FROM c."__start" AND r."the ""k""" IS NOT DISTINCT FROM c."the ""k""" AND r."It's" IS NOT DISTINCT FROM c."It's"

-- windows: odd names, level 2
SELECT c."__start",
    c."It's",
    c.__start + 20000000 AS __end,
    p."All.of it",
    p.__rows,
    CAST((coalesce(r.__seen, 0) + 1) * CASE WHEN p.__start IS NULL THEN -1 ELSE 1 END AS INT) AS revision
  FROM changed AS c
  LEFT JOIN (SELECT __start,
      __start + 20000000 AS __end,
      "It's",
      ("sum_36d04e8b") AS "All.of it",
      __rows
    FROM (SELECT __start,
        "It's",
        sum("sum_36d04e8b") AS "sum_36d04e8b",
        sum(__rows) AS __rows
      FROM (SELECT p.*
        FROM (SELECT *
          FROM (SELECT *,
              pane AS __start
            FROM panes)
          WHERE __start + 20000000 > pane AND true) AS p
        SEMI JOIN changed AS c
        ON p."__start" IS NOT DISTINCT FROM c."__start" AND p."It's" IS NOT DISTINCT FROM c."It's")
      GROUP BY __start,
        "It's")) AS p
  ON p."__start" IS NOT DISTINCT FROM c."__start" AND p."It's" IS NOT DISTINCT FROM c."It's"
  LEFT JOIN (SELECT "__start",
      "It's",
      max(abs(revision)) AS __seen
    FROM told
    GROUP BY "__start",
      "It's") AS r
  ON r."__start" IS NOT DISTINCT FROM c."__start" AND r."It's" IS NOT DISTINCT FROM c."It's"

-- windows: revised
SELECT c."__start",
    c."k",
    c.__start + 10000000 AS __end,
    p."n",
    p."s",
    p."top",
    CAST((coalesce(r.__seen, 0) + 1) * CASE WHEN p.__start IS NULL THEN -1 ELSE 1 END AS INT) AS revision
  FROM changed AS c
  LEFT JOIN (SELECT __start,
      __start + 10000000 AS __end,
      "k",
      ("count_64d3797e") AS "n",
      ("sum_ac231eea") AS "s",
      ("max_f0cde295") AS "top"
    FROM (SELECT __start,
        "k",
        sum("count_64d3797e") AS "count_64d3797e",
        max("max_f0cde295") AS "max_f0cde295",
        sum("sum_ac231eea") AS "sum_ac231eea"
      FROM (SELECT p.*
        FROM (SELECT *
          FROM (SELECT p.*,
              pane - (((pane - 0) % 5000000 + 5000000) % 5000000) - o.i * 5000000 AS __start
            FROM panes AS p
            CROSS JOIN range(0, 2) AS o(i))
          WHERE __start + 10000000 > pane AND true) AS p
        SEMI JOIN changed AS c
        ON p."__start" IS NOT DISTINCT FROM c."__start" AND p."k" IS NOT DISTINCT FROM c."k")
      GROUP BY __start,
        "k")) AS p
  ON p."__start" IS NOT DISTINCT FROM c."__start" AND p."k" IS NOT DISTINCT FROM c."k"
  LEFT JOIN (SELECT "__start",
      "k",
      max(abs(revision)) AS __seen
    FROM told
    GROUP BY "__start",
      "k") AS r
  ON r."__start" IS NOT DISTINCT FROM c."__start" AND r."k" IS NOT DISTINCT FROM c."k"

-- windows: two levels, filtered and revised
SELECT c."__start",
    c."k",
    c.__start + 10000000 AS __end,
    p."n",
    p."s",
    p."top",
    CAST((coalesce(r.__seen, 0) + 1) * CASE WHEN p.__start IS NULL THEN -1 ELSE 1 END AS INT) AS revision
  FROM changed AS c
  LEFT JOIN (SELECT __start,
      __start + 10000000 AS __end,
      "k",
      ("count_64d3797e") AS "n",
      ("sum_ac231eea") AS "s",
      ("max_f0cde295") AS "top"
    FROM (SELECT __start,
        "k",
        sum("count_64d3797e") AS "count_64d3797e",
        max("max_f0cde295") AS "max_f0cde295",
        sum("sum_ac231eea") AS "sum_ac231eea"
      FROM (SELECT p.*
        FROM (SELECT *
          FROM (SELECT p.*,
              pane - (((pane - 0) % 5000000 + 5000000) % 5000000) - o.i * 5000000 AS __start
            FROM panes AS p
            CROSS JOIN range(0, 2) AS o(i))
          WHERE __start + 10000000 > pane AND true) AS p
        SEMI JOIN changed AS c
        ON p."__start" IS NOT DISTINCT FROM c."__start" AND p."k" IS NOT DISTINCT FROM c."k")
      GROUP BY __start,
        "k")) AS p
  ON p."__start" IS NOT DISTINCT FROM c."__start" AND p."k" IS NOT DISTINCT FROM c."k"
  LEFT JOIN (SELECT "__start",
      "k",
      max(abs(revision)) AS __seen
    FROM told
    GROUP BY "__start",
      "k") AS r
  ON r."__start" IS NOT DISTINCT FROM c."__start" AND r."k" IS NOT DISTINCT FROM c."k"

-- windows: two levels, filtered and revised, level 2
SELECT c."__start",
    c."odd",
    c.__start + 60000000 AS __end,
    p."rows",
    p."best",
    p."groups",
    CAST((coalesce(r.__seen, 0) + 1) * CASE WHEN p.__start IS NULL THEN -1 ELSE 1 END AS INT) AS revision
  FROM changed AS c
  LEFT JOIN (SELECT __start,
      __start + 60000000 AS __end,
      "odd",
      ("sum_67347bc1") AS "rows",
      ("max_fcb17c2b") AS "best",
      ("count_64d3797e") AS "groups"
    FROM (SELECT __start,
        "odd",
        sw_long(sum("sum_67347bc1")) AS "sum_67347bc1",
        max("max_fcb17c2b") AS "max_fcb17c2b",
        sum("count_64d3797e") AS "count_64d3797e"
      FROM (SELECT p.*
        FROM (SELECT *
          FROM (SELECT *,
              pane AS __start
            FROM panes)
          WHERE __start + 60000000 > pane AND true) AS p
        SEMI JOIN changed AS c
        ON p."__start" IS NOT DISTINCT FROM c."__start" AND p."odd" IS NOT DISTINCT FROM c."odd")
      GROUP BY __start,
        "odd")) AS p
  ON p."__start" IS NOT DISTINCT FROM c."__start" AND p."odd" IS NOT DISTINCT FROM c."odd"
  LEFT JOIN (SELECT "__start",
      "odd",
      max(abs(revision)) AS __seen
    FROM told
    GROUP BY "__start",
      "odd") AS r
  ON r."__start" IS NOT DISTINCT FROM c."__start" AND r."odd" IS NOT DISTINCT FROM c."odd"

-- windows: three levels, revised
SELECT c."__start",
    c."k",
    c.__start + 10000000 AS __end,
    p."n",
    p."s",
    p."top",
    CAST((coalesce(r.__seen, 0) + 1) * CASE WHEN p.__start IS NULL THEN -1 ELSE 1 END AS INT) AS revision
  FROM changed AS c
  LEFT JOIN (SELECT __start,
      __start + 10000000 AS __end,
      "k",
      ("count_64d3797e") AS "n",
      ("sum_ac231eea") AS "s",
      ("max_f0cde295") AS "top"
    FROM (SELECT __start,
        "k",
        sum("count_64d3797e") AS "count_64d3797e",
        max("max_f0cde295") AS "max_f0cde295",
        sum("sum_ac231eea") AS "sum_ac231eea"
      FROM (SELECT p.*
        FROM (SELECT *
          FROM (SELECT p.*,
              pane - (((pane - 0) % 5000000 + 5000000) % 5000000) - o.i * 5000000 AS __start
            FROM panes AS p
            CROSS JOIN range(0, 2) AS o(i))
          WHERE __start + 10000000 > pane AND true) AS p
        SEMI JOIN changed AS c
        ON p."__start" IS NOT DISTINCT FROM c."__start" AND p."k" IS NOT DISTINCT FROM c."k")
      GROUP BY __start,
        "k")) AS p
  ON p."__start" IS NOT DISTINCT FROM c."__start" AND p."k" IS NOT DISTINCT FROM c."k"
  LEFT JOIN (SELECT "__start",
      "k",
      max(abs(revision)) AS __seen
    FROM told
    GROUP BY "__start",
      "k") AS r
  ON r."__start" IS NOT DISTINCT FROM c."__start" AND r."k" IS NOT DISTINCT FROM c."k"

-- windows: three levels, revised, level 2
SELECT c."__start",
    c."odd",
    c.__start + 60000000 AS __end,
    p."rows",
    p."best",
    p."groups",
    CAST((coalesce(r.__seen, 0) + 1) * CASE WHEN p.__start IS NULL THEN -1 ELSE 1 END AS INT) AS revision
  FROM changed AS c
  LEFT JOIN (SELECT __start,
      __start + 60000000 AS __end,
      "odd",
      ("sum_67347bc1") AS "rows",
      ("max_fcb17c2b") AS "best",
      ("count_64d3797e") AS "groups"
    FROM (SELECT __start,
        "odd",
        sw_long(sum("sum_67347bc1")) AS "sum_67347bc1",
        max("max_fcb17c2b") AS "max_fcb17c2b",
        sum("count_64d3797e") AS "count_64d3797e"
      FROM (SELECT p.*
        FROM (SELECT *
          FROM (SELECT *,
              pane AS __start
            FROM panes)
          WHERE __start + 60000000 > pane AND true) AS p
        SEMI JOIN changed AS c
        ON p."__start" IS NOT DISTINCT FROM c."__start" AND p."odd" IS NOT DISTINCT FROM c."odd")
      GROUP BY __start,
        "odd")) AS p
  ON p."__start" IS NOT DISTINCT FROM c."__start" AND p."odd" IS NOT DISTINCT FROM c."odd"
  LEFT JOIN (SELECT "__start",
      "odd",
      max(abs(revision)) AS __seen
    FROM told
    GROUP BY "__start",
      "odd") AS r
  ON r."__start" IS NOT DISTINCT FROM c."__start" AND r."odd" IS NOT DISTINCT FROM c."odd"

-- windows: three levels, revised, level 3
SELECT c."__start",
    c.__start + 120000000 AS __end,
    p."most",
    CAST((coalesce(r.__seen, 0) + 1) * CASE WHEN p.__start IS NULL THEN -1 ELSE 1 END AS INT) AS revision
  FROM changed AS c
  LEFT JOIN (SELECT __start,
      __start + 120000000 AS __end,
      ("max_1a4e169f") AS "most"
    FROM (SELECT __start,
        max("max_1a4e169f") AS "max_1a4e169f"
      FROM (SELECT p.*
        FROM (SELECT *
          FROM (SELECT *,
              pane AS __start
            FROM panes)
          WHERE __start + 120000000 > pane AND true) AS p
        SEMI JOIN changed AS c
        ON p."__start" IS NOT DISTINCT FROM c."__start")
      GROUP BY __start)) AS p
  ON p."__start" IS NOT DISTINCT FROM c."__start"
  LEFT JOIN (SELECT "__start",
      max(abs(revision)) AS __seen
    FROM told
    GROUP BY "__start") AS r
  ON r."__start" IS NOT DISTINCT FROM c."__start"

-- windows: estimates of two levels, revised
SELECT c."__start",
    c."k",
    c.__start + 10000000 AS __end,
    p."n",
    p."s",
    p."top",
    CAST((coalesce(r.__seen, 0) + 1) * CASE WHEN p.__start IS NULL THEN -1 ELSE 1 END AS INT) AS revision
  FROM changed AS c
  LEFT JOIN (SELECT __start,
      __start + 10000000 AS __end,
      "k",
      ("count_64d3797e") AS "n",
      ("sum_ac231eea") AS "s",
      ("max_f0cde295") AS "top"
    FROM (SELECT __start,
        "k",
        sum("count_64d3797e") AS "count_64d3797e",
        max("max_f0cde295") AS "max_f0cde295",
        sum("sum_ac231eea") AS "sum_ac231eea"
      FROM (SELECT p.*
        FROM (SELECT *
          FROM (SELECT p.*,
              pane - (((pane - 0) % 5000000 + 5000000) % 5000000) - o.i * 5000000 AS __start
            FROM panes AS p
            CROSS JOIN range(0, 2) AS o(i))
          WHERE __start + 10000000 > pane AND true) AS p
        SEMI JOIN changed AS c
        ON p."__start" IS NOT DISTINCT FROM c."__start" AND p."k" IS NOT DISTINCT FROM c."k")
      GROUP BY __start,
        "k")) AS p
  ON p."__start" IS NOT DISTINCT FROM c."__start" AND p."k" IS NOT DISTINCT FROM c."k"
  LEFT JOIN (SELECT "__start",
      "k",
      max(abs(revision)) AS __seen
    FROM told
    GROUP BY "__start",
      "k") AS r
  ON r."__start" IS NOT DISTINCT FROM c."__start" AND r."k" IS NOT DISTINCT FROM c."k"

-- windows: estimates of two levels, revised, level 2
SELECT c."__start",
    c."odd",
    c.__start + 60000000 AS __end,
    p."rows",
    p."best",
    p."groups",
    p.__rows,
    CAST((coalesce(r.__seen, 0) + 1) * CASE WHEN p.__start IS NULL THEN -1 ELSE 1 END AS INT) AS revision
  FROM changed AS c
  LEFT JOIN (SELECT __start,
      __start + 60000000 AS __end,
      "odd",
      ("sum_67347bc1") AS "rows",
      ("max_fcb17c2b") AS "best",
      ("count_64d3797e") AS "groups",
      __rows
    FROM (SELECT __start,
        "odd",
        sw_long(sum("sum_67347bc1")) AS "sum_67347bc1",
        max("max_fcb17c2b") AS "max_fcb17c2b",
        sum("count_64d3797e") AS "count_64d3797e",
        sum(__rows) AS __rows
      FROM (SELECT p.*
        FROM (SELECT *
          FROM (SELECT *,
              pane AS __start
            FROM panes)
          WHERE __start + 60000000 > pane AND true) AS p
        SEMI JOIN changed AS c
        ON p."__start" IS NOT DISTINCT FROM c."__start" AND p."odd" IS NOT DISTINCT FROM c."odd")
      GROUP BY __start,
        "odd")) AS p
  ON p."__start" IS NOT DISTINCT FROM c."__start" AND p."odd" IS NOT DISTINCT FROM c."odd"
  LEFT JOIN (SELECT "__start",
      "odd",
      max(abs(revision)) AS __seen
    FROM told
    GROUP BY "__start",
      "odd") AS r
  ON r."__start" IS NOT DISTINCT FROM c."__start" AND r."odd" IS NOT DISTINCT FROM c."odd"

-- windows: exact
SELECT c."__start",
    c."k",
    c.__start + 10000000 AS __end,
    p."mid",
    p."kinds",
    p."n",
    p."sites",
    p."all",
    p."end",
    CAST((coalesce(r.__seen, 0) + 1) * CASE WHEN p.__start IS NULL THEN -1 ELSE 1 END AS INT) AS revision
  FROM changed AS c
  LEFT JOIN (SELECT __start,
      __start + 10000000 AS __end,
      "k",
      ("read_b2fc6deb") AS "mid",
      ("read_1c705278") AS "kinds",
      ("count_64d3797e") AS "n",
      ("read_a6a99627") AS "sites",
      ("read_6be0b3f7") AS "all",
      ("read_f7a9d512") AS "end"
    FROM (SELECT "__start",
        "k",
        sum("count_64d3797e") AS "count_64d3797e",
        max("last_c0c2603b") AS "last_c0c2603b",
        sw_between(min("value_0f2a54b5") FILTER (WHERE "value_0f2a54b5" IS NOT NULL AND "__upto_value_0f2a54b5" > floor(CAST("__all_value_0f2a54b5" - 1 AS DOUBLE) * CAST(0.5 AS DOUBLE))), min("value_0f2a54b5") FILTER (WHERE "value_0f2a54b5" IS NOT NULL AND "__upto_value_0f2a54b5" > ceil(CAST("__all_value_0f2a54b5" - 1 AS DOUBLE) * CAST(0.5 AS DOUBLE))), max(CAST("__all_value_0f2a54b5" - 1 AS DOUBLE) * CAST(0.5 AS DOUBLE))) AS "read_b2fc6deb",
        count(DISTINCT row("value_879c0839", "value_072bc288")) FILTER (WHERE "value_879c0839" IS NOT NULL AND "value_072bc288" IS NOT NULL) AS "read_1c705278",
        coalesce(list(DISTINCT "value_879c0839"
          ORDER BY "value_879c0839") FILTER (WHERE "value_879c0839" IS NOT NULL), []) AS "read_a6a99627",
        coalesce(flatten(list(repeat(["value_072bc288"], CAST(__rows AS BIGINT))
            ORDER BY "value_072bc288") FILTER (WHERE "value_072bc288" IS NOT NULL)), []) AS "read_6be0b3f7",
        struct_extract(max("last_c0c2603b"), 'v') AS "read_f7a9d512"
      FROM (SELECT *,
          sum(CASE WHEN "value_0f2a54b5" IS NOT NULL THEN __rows END) OVER (PARTITION BY "__start", "k"
          ORDER BY "value_0f2a54b5") AS "__upto_value_0f2a54b5",
          sum(CASE WHEN "value_0f2a54b5" IS NOT NULL THEN __rows END) OVER (PARTITION BY "__start", "k") AS "__all_value_0f2a54b5"
        FROM (SELECT p.*
          FROM (SELECT *
            FROM (SELECT p.*,
                pane - (((pane - 0) % 1000000 + 1000000) % 1000000) - o.i * 1000000 AS __start
              FROM panes AS p
              CROSS JOIN range(0, 10) AS o(i))
            WHERE __start + 10000000 > pane AND true) AS p
          SEMI JOIN changed AS c
          ON p."__start" IS NOT DISTINCT FROM c."__start" AND p."k" IS NOT DISTINCT FROM c."k"))
      GROUP BY "__start",
        "k")) AS p
  ON p."__start" IS NOT DISTINCT FROM c."__start" AND p."k" IS NOT DISTINCT FROM c."k"
  LEFT JOIN (SELECT "__start",
      "k",
      max(abs(revision)) AS __seen
    FROM told
    GROUP BY "__start",
      "k") AS r
  ON r."__start" IS NOT DISTINCT FROM c."__start" AND r."k" IS NOT DISTINCT FROM c."k"

-- windows: related
SELECT c."__start",
    c."k",
    c.__start + 10000000 AS __end,
    p."n",
    p.__rows,
    CAST((coalesce(r.__seen, 0) + 1) * CASE WHEN p.__start IS NULL THEN -1 ELSE 1 END AS INT) AS revision
  FROM changed AS c
  LEFT JOIN (WITH __source AS MATERIALIZED (SELECT p.*
      FROM (SELECT *
        FROM (SELECT p.*,
            pane - (((pane - 0) % 5000000 + 5000000) % 5000000) - o.i * 5000000 AS __start
          FROM panes AS p
          CROSS JOIN range(0, 2) AS o(i))
        WHERE __start + 10000000 > pane AND true) AS p
      SEMI JOIN changed AS c
      ON p."__start" IS NOT DISTINCT FROM c."__start" AND p."k" IS NOT DISTINCT FROM c."k"), __groups AS MATERIALIZED (SELECT *,
        row_number() OVER () AS __g
      FROM (SELECT "__start",
          "k",
          sum(__rows) AS __rows
        FROM __source
        GROUP BY "__start",
          "k")), __members AS MATERIALIZED (SELECT "value_0f2a54b5",
        __groups.__g
      FROM __source AS p
      JOIN __groups
      ON p."__start" IS NOT DISTINCT FROM __groups."__start" AND p."k" IS NOT DISTINCT FROM __groups."k"
      WHERE p.__rows = 1
      UNION ALL SELECT "value_0f2a54b5",
        __groups.__g
      FROM (SELECT p.*,
          unnest(range(CAST(p.__rows AS BIGINT))) AS __copy
        FROM __source AS p
        WHERE p.__rows > 1) AS p
      JOIN __groups
      ON p."__start" IS NOT DISTINCT FROM __groups."__start" AND p."k" IS NOT DISTINCT FROM __groups."k") SELECT __groups."__start",
      __groups."k",
      __groups.__start + 10000000 AS __end,
      __answer."n",
      __rows
    FROM __groups
    CROSS JOIN LATERAL (SELECT count(*) AS "n"
      FROM (SELECT "value_0f2a54b5" AS "v"
        FROM __members
        WHERE __members.__g = __groups.__g) AS "window"
      WHERE ("window"."v" > (SELECT (max("window"."v") / nullif(CAST(2 AS DOUBLE), 0)) AS "__c0"
          FROM (SELECT "value_0f2a54b5" AS "v"
            FROM __members
            WHERE __members.__g = __groups.__g) AS "window"))) AS __answer) AS p
  ON p."__start" IS NOT DISTINCT FROM c."__start" AND p."k" IS NOT DISTINCT FROM c."k"
  LEFT JOIN (SELECT "__start",
      "k",
      max(abs(revision)) AS __seen
    FROM told
    GROUP BY "__start",
      "k") AS r
  ON r."__start" IS NOT DISTINCT FROM c."__start" AND r."k" IS NOT DISTINCT FROM c."k"

-- join: aggregate above
SELECT c."__start",
    c."k",
    c.__start + 10000000 AS __end,
    p."n",
    p."mean",
    CAST((coalesce(r.__seen, 0) + 1) * CASE WHEN p.__start IS NULL THEN -1 ELSE 1 END AS INT) AS revision
  FROM changed AS c
  LEFT JOIN (SELECT __start,
      __start + 10000000 AS __end,
      "k",
      ("count_64d3797e") AS "n",
      (CASE WHEN ("count_7870ce64" > CAST(0 AS BIGINT)) THEN ("dsum_b056ae31" / nullif(CAST("count_7870ce64" AS DOUBLE), 0)) ELSE CAST(NULL AS DOUBLE) END) AS "mean"
    FROM (SELECT __start,
        "k",
        sum("count_64d3797e") AS "count_64d3797e",
        sum("dsum_b056ae31") AS "dsum_b056ae31",
        sum("count_7870ce64") AS "count_7870ce64"
      FROM (SELECT p.*
        FROM (SELECT *
          FROM (SELECT p.*,
              pane - (((pane - 0) % 5000000 + 5000000) % 5000000) - o.i * 5000000 AS __start
            FROM panes AS p
            CROSS JOIN range(0, 2) AS o(i))
          WHERE __start + 10000000 > pane AND true) AS p
        SEMI JOIN changed AS c
        ON p."__start" IS NOT DISTINCT FROM c."__start" AND p."k" IS NOT DISTINCT FROM c."k")
      GROUP BY __start,
        "k")) AS p
  ON p."__start" IS NOT DISTINCT FROM c."__start" AND p."k" IS NOT DISTINCT FROM c."k"
  LEFT JOIN (SELECT "__start",
      "k",
      max(abs(revision)) AS __seen
    FROM told
    GROUP BY "__start",
      "k") AS r
  ON r."__start" IS NOT DISTINCT FROM c."__start" AND r."k" IS NOT DISTINCT FROM c."k"

-- join: aggregate above, grouped
SELECT c."__start",
    c."site",
    c.__start + 10000000 AS __end,
    p."n",
    p."s",
    p."mean",
    p."sd",
    p."top",
    CAST((coalesce(r.__seen, 0) + 1) * CASE WHEN p.__start IS NULL THEN -1 ELSE 1 END AS INT) AS revision
  FROM changed AS c
  LEFT JOIN (SELECT __start,
      __start + 10000000 AS __end,
      "site",
      ("count_64d3797e") AS "n",
      ("sum_cf4c10f4") AS "s",
      (CASE WHEN ("count_f6a7df80" > CAST(0 AS BIGINT)) THEN ("dsum_ddd98ce4" / nullif(CAST("count_f6a7df80" AS DOUBLE), 0)) ELSE CAST(NULL AS DOUBLE) END) AS "mean",
      (CASE WHEN ("count_28c5b53d" > CAST(0 AS BIGINT)) THEN sqrt(("m2_f2ea6aa0" / nullif(CAST((sw_long(CAST("count_28c5b53d" AS HUGEINT) - CAST(CAST(0 AS BIGINT) AS HUGEINT))) AS DOUBLE), 0))) ELSE CAST(NULL AS DOUBLE) END) AS "sd",
      ("max_0c788a40") AS "top"
    FROM (SELECT __start,
        "site",
        sum("count_64d3797e") AS "count_64d3797e",
        sum("sum_cf4c10f4") AS "sum_cf4c10f4",
        sum("dsum_ddd98ce4") AS "dsum_ddd98ce4",
        sum("count_f6a7df80") AS "count_f6a7df80",
        sum("count_28c5b53d") AS "count_28c5b53d",
        max("__mean_87a4ae70") AS "mean_87a4ae70",
        sum("m2_f2ea6aa0" + coalesce("count_28c5b53d" * ("mean_87a4ae70" - "__mean_87a4ae70") * ("mean_87a4ae70" - "__mean_87a4ae70"), 0)) AS "m2_f2ea6aa0",
        max("max_0c788a40") AS "max_0c788a40"
      FROM (SELECT *,
          sum("count_28c5b53d" * "mean_87a4ae70") OVER (PARTITION BY __start, "site") / nullif(sum("count_28c5b53d") OVER (PARTITION BY __start, "site"), 0) AS "__mean_87a4ae70"
        FROM (SELECT p.*
          FROM (SELECT *
            FROM (SELECT p.*,
                pane - (((pane - 0) % 5000000 + 5000000) % 5000000) - o.i * 5000000 AS __start
              FROM panes AS p
              CROSS JOIN range(0, 2) AS o(i))
            WHERE __start + 10000000 > pane AND true) AS p
          SEMI JOIN changed AS c
          ON p."__start" IS NOT DISTINCT FROM c."__start" AND p."site" IS NOT DISTINCT FROM c."site"))
      GROUP BY __start,
        "site")) AS p
  ON p."__start" IS NOT DISTINCT FROM c."__start" AND p."site" IS NOT DISTINCT FROM c."site"
  LEFT JOIN (SELECT "__start",
      "site",
      max(abs(revision)) AS __seen
    FROM told
    GROUP BY "__start",
      "site") AS r
  ON r."__start" IS NOT DISTINCT FROM c."__start" AND r."site" IS NOT DISTINCT FROM c."site"
