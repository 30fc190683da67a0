import { spawn, type ChildProcess } from 'node:child_process'
import { root, toolEnvironment } from './workspace.ts'

type Command = { command: string; args: string[]; environment?: NodeJS.ProcessEnv }

const running = new Set<ChildProcess>()

// The bootstrap has an IPC channel to this process. When the bootstrap is killed, the channel closes, and the running commands are stopped too.
process.on('disconnect', () => stop('SIGTERM'))
process.channel?.unref()
process.on('SIGTERM', () => stop('SIGTERM'))
process.on('SIGINT', () => stop('SIGINT'))

/** Runs a command in the repository's root with this terminal. Gives its exit code, or 127 when the command cannot be run. */
export const runCommand = ({ command, args, environment = {} }: Command): Promise<number> =>
  ended(
    command,
    spawn(command, args, { cwd: root, stdio: 'inherit', env: { ...toolEnvironment, ...environment } }),
    (text) => void process.stderr.write(text),
  )

/** Runs a command beside another one. Its output is not shown, but given together with its exit code. */
export async function runQuietly({ command, args, environment = {} }: Command): Promise<{ code: number; output: string }> {
  let output = ''
  const keep = (text: string) => void (output += text)
  const child = spawn(command, args, { cwd: root, stdio: ['ignore', 'pipe', 'pipe'], env: { ...toolEnvironment, ...environment } })
  child.stdout.setEncoding('utf8').on('data', keep)
  child.stderr.setEncoding('utf8').on('data', keep)
  return { code: await ended(command, child, keep), output }
}

function ended(command: string, child: ChildProcess, say: (text: string) => void): Promise<number> {
  running.add(child)
  return new Promise((resolve) => {
    child.once('error', (error) => {
      running.delete(child)
      say(`cannot run ${command}: ${error.message}\n`)
      resolve(127)
    })
    // 'close' and not 'exit', because a command's last output comes after its exit.
    child.once('close', (code) => {
      running.delete(child)
      resolve(code ?? 1)
    })
  })
}

function stop(signal: NodeJS.Signals): void {
  const code = signal === 'SIGINT' ? 130 : 143
  for (const child of running) {
    child.once('close', () => running.size === 0 && process.exit(code))
    child.kill(signal)
  }
  if (running.size === 0) process.exit(code)
}
