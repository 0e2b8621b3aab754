-- join: recall
SELECT *
  FROM results
  WHERE __given

-- join: recall, ordered
SELECT *
  FROM results
  WHERE __given

-- join: recall, revised, inner node
SELECT *
  FROM results
  WHERE __given
