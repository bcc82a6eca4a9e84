CREATE SCHEMA metadata;
