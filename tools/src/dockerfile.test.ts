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

test('the Dockerfile copies the pages to where the gateway looks for them in the services’ image', () => {
  const pages = readFileSync(join(root, 'apps/gateway/src/pages/http/static-files.ts'), 'utf8')
  const beside = [...pages.matchAll(/builtAt\(\w+, '(\w+)', '([\w/]+)'\)/g)].map(([, name, built]) => ({ name, built }))
  expect(beside).toHaveLength(3)
  for (const { name, built } of beside) expect(dockerfile).toContain(`cp -r ${built} /pages/${name}`)
  expect(dockerfile).toContain('if [ "$APP" = server ]; then cp -r /pages/. /image/app/; fi')
})

const hardening = ['read_only: true', 'cap_drop: [ALL]', "security_opt: ['no-new-privileges:true']"]

// spec: running/containers
test.each(['docker-compose.yml', 'docker-compose.small.yml'])(
  'in %s every container drops all capabilities and has a root file system that is not written',
  (file) => {
    const text = readFileSync(join(root, file), 'utf8')
    const services = (/^services:\n([\s\S]*?)^volumes:/m.exec(text)?.[1] ?? '')
      .split(/^(?= {2}[\w-]+:)/m)
      .filter((block) => /^ {2}\w/.test(block))
    expect(services.length).toBeGreaterThanOrEqual(6)
    const open = services.filter(
      (block) => !/^ {4}(<<: \*(app|hardened)|extends: )/m.test(block) && !hardening.every((line) => block.includes(`    ${line}\n`)),
    )
    expect(open).toEqual([])
  },
)

test('what the services of docker-compose.yml share drops capabilities and makes the root file system unwritable', () => {
  const text = readFileSync(join(root, 'docker-compose.yml'), 'utf8')
  expect(text).toContain(`x-hardened: &hardened\n  ${hardening.join('\n  ')}\n`)
  expect(text).toContain('x-app: &app\n  <<: *hardened\n')
})
