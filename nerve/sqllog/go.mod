module github.com/octopus-framework/octopus/nerve/sqllog

go 1.25.6

require (
	github.com/go-sql-driver/mysql v1.10.1
	github.com/jackc/pgx/v5 v5.12.0
	github.com/klauspost/compress v1.20.3
	github.com/octopus-framework/octopus v0.1.0
)
