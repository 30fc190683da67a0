import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { root } from './workspace.ts'

const { workspaces } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { workspaces: string[] }
const dockerfile = readFileSync(join(root, 'Dockerfile'), 'utf8')

test('the Dockerfile copies the package.json of every project, because with one missing the lock file would not fit', () => {
  const manifests = workspaces.flatMap((workspace) => globSync(`${workspace}/package.json`, { cwd: root })).toSorted()
  expect(manifests.length).toBeGreaterThan(15)
  const copied = [...dockerfile.matchAll(/^COPY (\S+\/package\.json) (\S+)\/$/gm)].map(([, from = '', to = '']) => {
    expect(`${to}/package.json`).toBe(from)
    return from
  })
  expect(copied.toSorted()).toEqual(manifests)
})

test('the Dockerfile copies the pages into the directory of the image of the services in which the gateway looks for them', () => {
  const pages = readFileSync(join(root, 'apps/gateway/src/pages/http/static-files.ts'), 'utf8')
  const beside = [...pages.matchAll(/builtAt\(\w+, '(\w+)', '([\w/]+)'\)/g)].map(([, name, built]) => ({ name, built }))
  expect(beside).toHaveLength(3)
  for (const { name, built } of beside) expect(dockerfile).toContain(`cp -r ${built} /pages/${name}`)
  expect(dockerfile).toContain('if [ "$APP" = server ]; then cp -r /pages/. /image/app/; fi')
})
