-- join: recall
SELECT bucket,
    step,
    count(*) AS results,
    CAST(sum(CASE WHEN __given THEN 1 ELSE 0 END) AS BIGINT) AS given
  FROM (SELECT __ts - (((__ts) % 1000000 + 1000000) % 1000000) AS bucket,
      ((greatest(0, $clock::BIGINT - least("__t_a" + 5000000, "__t_b" + 5000000)) + 9999) // 10000) AS step,
      __given
    FROM results)
  GROUP BY bucket,
    step

-- join: recall, ordered
SELECT bucket,
    step,
    count(*) AS results,
    CAST(sum(CASE WHEN __given THEN 1 ELSE 0 END) AS BIGINT) AS given
  FROM (SELECT __ts - (((__ts) % 1000000 + 1000000) % 1000000) AS bucket,
      ((greatest(0, coalesce(__at, __ts) - __ts) + 9999) // 10000) AS step,
      __given
    FROM results)
  GROUP BY bucket,
    step

-- join: recall, revised, inner node
SELECT bucket,
    step,
    count(*) AS results,
    CAST(sum(CASE WHEN __given THEN 1 ELSE 0 END) AS BIGINT) AS given
  FROM (SELECT __ts - (((__ts) % 1000000 + 1000000) % 1000000) AS bucket,
      ((greatest(0, $clock::BIGINT - least("__t_a" + 3000000, "__t_b" + 2000000, "__t_c" + 4000000)) + 9999) // 10000) AS step,
      __given
    FROM results)
  GROUP BY bucket,
    step
