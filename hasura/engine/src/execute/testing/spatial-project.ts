import { openProject } from './open-project.ts'

/**
 * Creates a database with PostGIS in the schema `gis`, which is not on the search path. Its places are a square from
 * (0,0) to (1,1), points in it, on its edge and far from it, and a line through it.
 */
export const openSpatialProject = (server: string) => openProject(sql, server)

const sql = `
  create schema gis;
  create extension postgis schema gis;
  create extension postgis_raster schema gis;
  create domain spot as gis.geometry;
  create table town (id serial primary key, name text not null unique, centre gis.geometry(Point, 4326), origin gis.geometry, pins gis.geometry[]);
  create table place (
    id serial primary key, name text not null unique, town_id int references town,
    shape gis.geometry, around gis.geography, spot spot, tile gis.raster, height float8
  );
  insert into town (name, centre) values ('Null Island', gis.st_geomfromtext('POINT(0 0)', 4326));
  insert into place (name, town_id, shape, around, spot, height)
    select name, 1, gis.st_geomfromtext(wkt, 4326), gis.st_geogfromtext('SRID=4326;' || wkt),
           gis.st_setsrid(gis.st_makepoint(0.5, 0.5), 4326), 1.5
    from (values
      ('square', 'POLYGON((0 0, 1 0, 1 1, 0 1, 0 0))'), ('inside', 'POINT(0.5 0.5)'),
      ('edge', 'POINT(1 0.5)'), ('far', 'POINT(10 10)'), ('line', 'LINESTRING(-1 0.5, 2 0.5)')) v (name, wkt);
  insert into place (name) values ('nowhere');
  -- Functions of rasters look for types on the search path.
  set search_path = public, gis;
  update place set tile = gis.st_addband(gis.st_makeemptyraster(2, 2, 0, 2, 1, -1, 0, 0, 4326), '8BUI'::text, 1, 0)
    where name = 'square';
  reset search_path;
  create function place_distance(place place, origin gis.geometry, factor float8 default 1) returns float8 stable language sql
    as $$ select gis.st_distance(place.shape, origin) * factor $$;
  create function place_centre(place place) returns gis.geometry stable language sql
    as $$ select gis.st_centroid(place.shape) $$;
  create function places_near(origin gis.geography, within float8) returns setof place stable language sql
    as $$ select * from place where gis.st_dwithin(around, origin, within) $$;
`
