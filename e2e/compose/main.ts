// `npm run test:compose` builds the images, starts the complete stack, and runs end-to-end and container tests against it, then one against the small
// stack on the same volumes. It always removes the stack with its volumes.
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { makeServerCertificate } from '@herald/embedded/certificate'
import { simulatorToken } from '@herald/testing/herald'
import type { Stack } from '@herald/testing/stack'
import { compose, composeEnvironment, leftovers, run } from './compose.ts'

const print = (line: string) => void process.stdout.write(`${line}\n`)
const seconds = (since: number) => `${((performance.now() - since) / 1000).toFixed(0)} s`

const directory = mkdtempSync(join(tmpdir(), 'herald-compose-'))
const receiver = makeServerCertificate(new Date(), 2, ['receiver'])
writeFileSync(join(directory, 'ca.pem'), receiver.ca)
// The user of the stack's containers must be able to read the directory.
chmodSync(directory, 0o755)
const [port, simulatorPort] = await Promise.all([freePort(), freePort()])
Object.assign(composeEnvironment, {
  HERALD_TEST_DIRECTORY: directory,
  COMPOSE_PROFILES: 'simulator',
  PORT: String(port),
  SIMULATOR_PORT: String(simulatorPort),
  SIMULATOR_CONTROL_TOKEN: simulatorToken,
  SUBSCRIBE_RATE_LIMIT: '0',
  IDENTITY_RATE_LIMIT: '0',
  SEND_RATE_LIMIT: '0',
  EVENT_RATE_LIMIT: '0',
  DEVICE_RATE_LIMIT: '0',
  API_RATE_LIMIT: '0',
})

let code = 1
try {
  await run('docker', ['compose', 'version'], { quiet: true }).catch(() => {
    throw new Error('Docker with Compose v2 is needed, and its engine must run: "docker compose version" and "docker info" tell.')
  })
  const startedAt = performance.now()
  await compose(['up', '-d', '--build', '--wait', '--quiet-pull'])
  print(`the stack is healthy after ${seconds(startedAt)}`)
  const adminToken = (await compose(['exec', '-T', 'gateway', 'cat', '/run/secrets/ADMIN_TOKEN'], { quiet: true })).trim()
  const stack: Stack = {
    baseUrl: `http://127.0.0.1:${port}`,
    adminToken,
    simulator: `http://127.0.0.1:${simulatorPort}`,
    receiver: { host: 'receiver', ...receiver },
  }
  code = await runTests(stack, process.argv.slice(2))
  if (code !== 0) await compose(['logs', '--no-color', '--tail', '40'])
  else {
    // The small stack takes over the volumes, and the apps that the tests made on the other one.
    const apps = await countApps(stack)
    await compose(['down'])
    await compose(['up', '-d', '--build', '--wait', '--quiet-pull'], { stack: 'small' })
    if ((await countApps(stack)) !== apps) throw new Error('the stack of one process does not have the apps of the stack of six')
    code = await runTests(stack, ['e2e/tests/three-protocols'])
    if (code !== 0) await compose(['logs', '--no-color', '--tail', '40'], { stack: 'small' })
  }
} catch (error) {
  print(error instanceof Error ? error.message : String(error))
} finally {
  await compose(['down', '-v', '--remove-orphans', '--timeout', '15'], { stack: 'small' }).catch(() => undefined)
  await compose(['down', '-v', '--remove-orphans', '--timeout', '15']).catch(() => print('the stack could not be taken down'))
  rmSync(directory, { recursive: true, force: true })
}
const left = await leftovers()
if (left.length > 0) print(`left behind: ${left.join(', ')}`)
process.exitCode = left.length > 0 ? 1 : code

/** Runs tests against the stack that is up. Gives the exit code. */
function runTests(stack: Stack, tests: string[]): Promise<number> {
  const environment = { ...composeEnvironment, HERALD_STACK: JSON.stringify(stack) }
  return run('vitest', ['run', '--config', 'e2e/compose/vitest.config.ts', ...tests], { environment }).then(
    () => 0,
    () => 1,
  )
}

async function countApps({ baseUrl, adminToken }: Stack): Promise<number> {
  const answer = await fetch(`${baseUrl}/v1/admin/apps`, {
    headers: { authorization: `Bearer ${adminToken}` },
    signal: AbortSignal.timeout(10_000),
  })
  return ((await answer.json()) as { items: unknown[] }).items.length
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer()
    server.once('error', reject)
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address() as AddressInfo
      server.close(() => resolve(port))
    })
  })
}
