import { spawn, spawnSync, type ChildProcess } from 'node:child_process'
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { prepareHead } from '@herald/http2/client/head'
import { openOrigin } from '@herald/http2/client/origin'
import type { Reply } from '@herald/http2/client/reply'
import { givenCertificate } from '@herald/http2/testing/certificate'
import { givenServer } from '@herald/http2/testing/peers'
import { isInstalled, webServers } from './http2-web-servers.ts'

const help = `npm run peers:http2

The HTTP/2 client against nghttpd and against the web servers that are installed here, and the server against h2load, nghttp and curl:
implementations that share no code with ours. Every answer of nghttpd and every file of a web server is compared with what it must be; of the other
programs the status of every answer is checked. It needs Debian's packages nghttp2-server, nghttp2-client and curl. It installs nothing, and says
which program is missing.`

const say = (line: string) => process.stdout.write(`${line}\n`)
if (process.argv.includes('--help')) {
  say(help)
  process.exit(0)
}

const failed: string[] = []
const find = (program: string) => ['/usr/bin', '/usr/sbin', '/usr/local/bin'].map((directory) => join(directory, program)).find(existsSync)
const need = (program: string, debianPackage: string): string => {
  const path = find(program)
  if (path === undefined) failed.push(`${program} is missing: apt-get install ${debianPackage}`)
  return path ?? ''
}
const nghttpd = need('nghttpd', 'nghttp2-server')
const h2load = need('h2load', 'nghttp2-client')
const nghttp = need('nghttp', 'nghttp2-client')
const curl = need('curl', 'curl')

const directory = mkdtempSync(join(tmpdir(), 'herald-http2-peers-'))
const certificate = givenCertificate()
const bodyFile = join(directory, 'body')
writeFileSync(bodyFile, 'x'.repeat(20_000))

function check(what: string, isSo: boolean, detail = ''): void {
  say(`${isSo ? 'ok   ' : 'WRONG'} ${what}${isSo ? '' : `: ${detail}`}`)
  if (!isSo) failed.push(what)
}

const wordOf = (reply: Reply) => (reply.is === 'answered' ? String(reply.status) : `${reply.is} ${reply.reason}`)

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  const { port } = server.address() as AddressInfo
  await new Promise((resolve) => server.close(resolve))
  return port
}

/** Runs nghttpd with further options for as long as `use` takes. nghttpd answers every request with the request's body. */
async function withNghttpd(options: string[], use: (port: number, process: ChildProcess) => Promise<void>): Promise<void> {
  const port = await freePort()
  const all = ['--echo-upload', '-a', '127.0.0.1', ...options, String(port), certificate.privateKeyPath, certificate.certificatePath]
  const child = spawn(nghttpd, all, { cwd: directory, stdio: 'ignore' })
  try {
    await use(port, child)
  } finally {
    child.kill()
  }
}

async function echo(port: number, requests: number, bodyBytes: (n: number) => number): Promise<string[]> {
  const head = prepareHead({ authority: `localhost:${port}`, fields: [['apns-topic', 'org.example.app']] })
  const origin = openOrigin({ host: 'localhost', port, ca: certificate.pem, limits: { connections: 1, backoffMs: 20 } })
  // Asks again while the server is still starting.
  for (let n = 0; n < 200 && (await origin.request({ head, path: '/', body: 'x', timeoutMs: 5_000 })).is === 'unsent'; n++);
  const replies = await Promise.all(
    Array.from({ length: requests }, async (_, n) => {
      const body = `${n} `.padEnd(bodyBytes(n), 'é')
      const reply = await origin.request({ head, path: `/${n}`, more: [['x-n', String(n)]], body, timeoutMs: 120_000 })
      if (reply.is !== 'answered') return wordOf(reply)
      return reply.status === 200 && reply.body.toString() === body ? 'same' : `${reply.status}, ${reply.body.length} bytes`
    }),
  )
  await origin.close()
  return [...new Set(replies)]
}

const servers: [what: string, options: string[], requests: number, bodyBytes: (n: number) => number][] = [
  ['its usual settings, 10,000 requests', [], 10_000, (n) => 100 + (n % 200)],
  ['one stream at a time', ['-m', '1'], 1_000, () => 100],
  ['windows of 1 KB', ['-w', '10', '-W', '16'], 2_000, (n) => 3_000 + (n % 999)],
  ['no header table', ['-c', '0', '--encoder-header-table-size=0'], 2_000, () => 50],
  ['padding and trailers', ['-b', '100', '--trailer=x-trailer: yes'], 2_000, () => 300],
  ['bodies of 50 KB', [], 200, () => 25_000],
]
if (nghttpd !== '') {
  for (const [what, options, requests, bodyBytes] of servers) {
    await withNghttpd(options, async (port) => {
      const kinds = await echo(port, requests, bodyBytes)
      check(`client against nghttpd with ${what}`, kinds.length === 1 && kinds[0] === 'same', kinds.join(' | '))
    })
  }
  await withNghttpd([], async (port, child) => {
    setTimeout(() => child.kill('SIGKILL'), 300)
    const kinds = await echo(port, 50_000, () => 200)
    const isKnown = kinds.every((kind) => kind === 'same' || /^(unanswered|unsent|refused) /.test(kind))
    check('client against an nghttpd that is killed: every request has one reply', isKnown, kinds.join(' | '))
  })
}

/** Gets the same file 3,000 times from a web server and sends it 500 bodies, which it refuses. Gives what came of them, each kind once. */
async function fetchAll(port: number): Promise<string[]> {
  const authority = `localhost:${port}`
  const heads = { get: prepareHead({ method: 'GET', authority, fields: [] }), post: prepareHead({ authority, fields: [] }) }
  const origin = openOrigin({ host: 'localhost', port, ca: certificate.pem, limits: { connections: 2, backoffMs: 20 } })
  const get = { head: heads.get, path: '/body', body: '', timeoutMs: 60_000 }
  for (let n = 0; n < 400 && (await origin.request({ ...get, timeoutMs: 1_000 })).is === 'unsent'; n++) await sleep(50)
  const wanted = readFileSync(bodyFile, 'utf8')
  /** What a server surely did not process is asked again, as the dispatcher does it: servers end connections after some thousand requests. */
  const askAgain = async (request: typeof get): Promise<Reply> => {
    for (let again = 0; ; again++) {
      const reply = await origin.request(request)
      if (again === 10 || (reply.is !== 'refused' && reply.is !== 'unsent')) return reply
      await sleep(50)
    }
  }
  const kinds = await Promise.all([
    ...Array.from({ length: 3_000 }, async () => {
      const reply = await askAgain(get)
      if (reply.is !== 'answered') return `GET ${wordOf(reply)}`
      return reply.status === 200 && reply.body.toString() === wanted ? 'same' : `GET ${reply.status}, ${reply.body.length} bytes`
    }),
    ...Array.from({ length: 500 }, async () => {
      const reply = await askAgain({ ...get, head: heads.post, body: 'x'.repeat(3_000) })
      return reply.is === 'answered' && reply.status < 500 ? 'same' : `POST ${wordOf(reply)}`
    }),
  ])
  await origin.close()
  return [...new Set(kinds)]
}

// Some web servers read as another user once they have started.
chmodSync(directory, 0o755)
const pem = join(directory, 'both.pem')
writeFileSync(pem, certificate.pem + readFileSync(certificate.privateKeyPath, 'utf8'))
for (const server of webServers) {
  if (!isInstalled(server)) {
    say(`not installed: ${server.name} (apt-get install ${server.debianPackage})`)
    continue
  }
  const given = { port: await freePort(), directory, certificate: certificate.certificatePath, key: certificate.privateKeyPath, pem }
  const file = join(directory, 'server.conf')
  writeFileSync(file, server.configuration(given))
  const [program = '', ...options] = server.command(file, given)
  const child = spawn(program, options, { cwd: directory, stdio: 'ignore', env: { PATH: process.env['PATH'] ?? '', HOME: directory } })
  const kinds = await fetchAll(given.port)
  check(`client against ${server.name}`, kinds.length === 1 && kinds[0] === 'same', kinds.join(' | '))
  child.kill()
  await new Promise((resolve) => (child.exitCode === null && child.signalCode === null ? child.once('exit', resolve) : resolve(undefined)))
}

const peer = await givenServer({ serve: ({ path, body }) => ({ status: 200, headers: { 'x-path': path }, body: body.toString('latin1') }) })
const url = `https://127.0.0.1:${peer.port}/some/path`

/** Runs a program without blocking this process, because the server runs in this process. */
function run(program: string, ...options: string[]): Promise<string> {
  return new Promise((resolve) => {
    const child = spawn(program, options, { stdio: ['ignore', 'pipe', 'pipe'], timeout: 120_000 })
    const chunks: Buffer[] = []
    child.stdout.on('data', (chunk: Buffer) => chunks.push(chunk))
    child.stderr.on('data', (chunk: Buffer) => chunks.push(chunk))
    child.on('error', (error) => resolve(String(error)))
    child.on('close', () => resolve(Buffer.concat(chunks).toString()))
  })
}

if (h2load !== '') {
  const runs: [string, number, string[]][] = [
    ['8 connections of 100 streams', 20_000, ['-c', '8', '-m', '100']],
    ['windows of 1 KB', 2_000, ['-c', '2', '-m', '20', '-w', '10', '-W', '16']],
    ['no header table', 5_000, ['-c', '1', '-m', '50', '--header-table-size=0', '--encoder-header-table-size=0']],
    ['one stream at a time', 2_000, ['-c', '1', '-m', '1']],
  ]
  for (const [what, requests, options] of runs) {
    const said = await run(h2load, '-n', String(requests), ...options, '-d', bodyFile, url)
    check(
      `h2load with ${what} against the server`,
      said.includes(`${requests} succeeded, 0 failed, 0 errored, 0 timeout`),
      said.slice(-600),
    )
  }
}
if (nghttp !== '') {
  const said = await run(
    nghttp,
    '--continuation',
    '-b',
    '200',
    '-m',
    '20',
    '-d',
    bodyFile,
    '-H',
    `x-long: ${'v'.repeat(30_000)}`,
    '-s',
    '-n',
    url,
  )
  check('nghttp with CONTINUATION and padding against the server', (said.match(/ 200 /g) ?? []).length === 20, said.slice(-600))
}
if (curl !== '' && spawnSync(curl, ['--version'], { encoding: 'utf8' }).stdout.includes('HTTP2')) {
  const said = await run(
    curl,
    '-sS',
    '--http2',
    '--cacert',
    peer.certificate.certificatePath,
    '--data-binary',
    'hello',
    '-w',
    ' %{http_version} %{http_code}',
    url,
  )
  check('curl against the server', said === 'hello 2 200', said)
} else failed.push('curl has no HTTP/2')

await peer.stop()
certificate.remove()
rmSync(directory, { recursive: true, force: true })
for (const each of failed) say(`not shown: ${each}`)
process.exitCode = failed.length > 0 ? 1 : 0
