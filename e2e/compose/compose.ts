import { spawn } from 'node:child_process'
import { resolve } from 'node:path'

export const root = resolve(import.meta.dirname, '../..')

/** The compose project of the tests. A stack that runs on this machine under the usual name is another project and is not touched. */
export const project = 'herald-test'
const files = {
  six: ['-f', 'docker-compose.yml', '-f', 'e2e/compose/docker-compose.test.yml'],
  small: ['-f', 'docker-compose.small.yml'],
  cluster: ['-f', 'docker-compose.yml', '-f', 'docker-compose.cluster.yml'],
}

/** The environment of docker compose. `main.ts` fills it when it brings the stack up, and the tests inherit it. */
export const composeEnvironment: NodeJS.ProcessEnv = { ...process.env }

type Options = { quiet?: boolean; stack?: keyof typeof files; environment?: NodeJS.ProcessEnv }

/** Runs a command in the repository's root and gives what it printed. Throws when the command fails. With `quiet` nothing is shown. */
export function run(command: string, args: string[], { quiet = false, environment = composeEnvironment }: Options = {}): Promise<string> {
  return new Promise((done, reject) => {
    const child = spawn(command, args, { cwd: root, env: environment, stdio: ['ignore', 'pipe', 'pipe'] })
    let printed = ''
    child.stdout.on('data', (chunk: Buffer) => {
      printed += chunk.toString()
      if (!quiet) process.stdout.write(chunk)
    })
    child.stderr.on('data', (chunk: Buffer) => {
      if (!quiet) process.stderr.write(chunk)
    })
    child.once('error', reject)
    child.once('close', (code) => (code === 0 ? done(printed) : reject(new Error(`${command} ${args.join(' ')} ended with ${code}`))))
  })
}

/** Runs a command of docker compose on the stack of six processes, on the small one, or on the cluster. The first two have the same volumes. */
export const compose = (args: string[], { stack = 'six', ...options }: Options = {}): Promise<string> =>
  run('docker', ['compose', '--progress', 'quiet', '-p', project, ...files[stack], ...args], options)

export const containersOf = async (service: string): Promise<string[]> =>
  (await compose(['ps', '-a', '-q', service], { quiet: true })).split('\n').filter((id) => id !== '')

/** Lists the containers, volumes and networks of the stack that still exist. */
export async function leftovers(): Promise<string[]> {
  const label = ['--filter', `label=com.docker.compose.project=${project}`, '-q']
  const kinds = [
    ['ps', '-a'],
    ['volume', 'ls'],
    ['network', 'ls'],
  ]
  const lists = await Promise.all(kinds.map((kind) => run('docker', [...kind, ...label], { quiet: true }).catch(() => '')))
  return lists.flatMap((list) => list.split('\n').filter((id) => id !== ''))
}
