import { join, resolve } from 'node:path'
import { appsWithDatabase } from '@herald/contracts/call'
import { migrate } from '@herald/service/migrate'
import { provision } from '@herald/service/provision'
import pg from 'pg'
import type { TestProject } from 'vitest/node'
import { buildServices } from './programs.ts'
import { testServers } from './servers.ts'

const root = resolve(import.meta.dirname, '../../..')

/** Starts one Postgres for all integration tests and migrates the template database that each test file clones. */
export default async function setUp(project: TestProject) {
  buildServices()
  const postgres = await testServers.startPostgres()
  const ownerUrl = postgres.url('postgres')
  const owner = new pg.Client({ connectionString: ownerUrl })
  await owner.connect()
  await owner.query('create database template_herald is_template true')
  const templateOwnerUrl = postgres.url('template_herald')
  const templateUrls = await provision({ ownerUrl: templateOwnerUrl, apps: appsWithDatabase, passwords: {} })
  for (const app of appsWithDatabase) await migrate({ ownerUrl: templateOwnerUrl, app, directory: join(root, 'apps', app, 'migrations') })
  await owner.end()
  project.provide('ownerUrl', ownerUrl)
  project.provide('templateUrls', templateUrls)
  return postgres.stop
}
