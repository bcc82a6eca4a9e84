-- Written by `npm run migration` from sql/, where each of these is found and changed.
DROP SCHEMA operator CASCADE;
DROP SCHEMA notification CASCADE;
DROP SCHEMA inventory CASCADE;
DROP SCHEMA email CASCADE;
DROP SCHEMA payment CASCADE;
DROP SCHEMA cart CASCADE;
DROP SCHEMA crm CASCADE;
DROP SCHEMA booking CASCADE;
DROP SCHEMA audit CASCADE;
DROP SCHEMA merchant CASCADE;
DROP SCHEMA analytics CASCADE;
DROP SCHEMA search CASCADE;
DROP SCHEMA promotion CASCADE;
DROP SCHEMA platform CASCADE;
DROP SCHEMA ordering CASCADE;
DROP SCHEMA identity CASCADE;
DROP SCHEMA catalog CASCADE;
