export { default, type Fragment, type ISql, type Sql, type TransactionSql } from 'postgres'
