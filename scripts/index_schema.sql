-- Prints what --schema takes for one index of a PostgreSQL 15 server:
--
--   psql -XAt -v index=orders_idx -f scripts/index_schema.sql DATABASE
--
-- An index file does not say what its columns are; the catalog does.
SELECT string_agg(words, ', ' ORDER BY attnum) FILTER (WHERE is_key)
       || coalesce('; include ' || string_agg(words, ', ' ORDER BY attnum) FILTER (WHERE NOT is_key), '')
       || CASE WHEN bool_or(indisunique) THEN '; unique' ELSE '' END
       || CASE WHEN bool_or(indnullsnotdistinct) THEN ' nulls not distinct' ELSE '' END
FROM (
  SELECT attnum, is_key, indisunique, indnullsnotdistinct,
         -- A key of type name is a cstring in the index.
         CASE atttypid WHEN 'cstring'::regtype THEN 'name' ELSE format_type(atttypid, NULL) END
         || CASE
              WHEN NOT is_key OR attcollation = 0 OR atttypid = 'cstring'::regtype THEN ''
              -- These compare bytes, whatever the collation of the column.
              WHEN opcname IN ('text_pattern_ops', 'varchar_pattern_ops') THEN ' collate "C"'
              WHEN attcollation <> 'default'::regcollation THEN ' collate ' || quote_ident(collname)
              WHEN datlocprovider = 'i' THEN ' collate ' || quote_ident(daticulocale || '-x-icu')
              ELSE ' collate ' || quote_ident(datcollate)
            END
         || CASE
              WHEN attstorage = typstorage THEN ''
              WHEN attstorage = 'p' THEN ' storage plain'
              WHEN attstorage = 'm' THEN ' storage main'
              WHEN attstorage = 'x' THEN ' storage extended'
              WHEN attstorage = 'e' THEN ' storage external'
            END
         -- Bit 1 is DESC, bit 2 NULLS FIRST; included columns have neither.
         || CASE WHEN NOT is_key THEN ''
              ELSE (ARRAY['', ' desc nulls last', ' nulls first', ' desc'])[1 + indoption[attnum - 1]]
            END AS words
  FROM pg_index
  JOIN pg_attribute ON attrelid = indexrelid
  CROSS JOIN LATERAL (SELECT attnum <= indnkeyatts) AS kind (is_key)
  JOIN pg_type ON pg_type.oid = atttypid
  JOIN pg_database ON datname = current_database()
  LEFT JOIN pg_opclass ON is_key AND pg_opclass.oid = indclass[attnum - 1]
  LEFT JOIN pg_collation ON pg_collation.oid = attcollation
  WHERE indexrelid = :'index'::regclass
) AS columns;
