import { spawn, type ChildProcess } from 'node:child_process'
import { root, toolEnvironment } from './workspace.ts'

let running: ChildProcess | undefined

// The bootstrap holds an IPC channel to us. If it is killed outright the channel closes: what we started goes with us.
process.on('disconnect', () => stop('SIGTERM'))
process.channel?.unref()
process.on('SIGTERM', () => stop('SIGTERM'))
process.on('SIGINT', () => stop('SIGINT'))

/** Runs a command in the root with our terminal and answers its exit code; 127 when it cannot be run. One command at a time. */
export function runCommand(command: string, args: string[], environment: NodeJS.ProcessEnv = {}): Promise<number> {
  return new Promise((resolve) => {
    const child = spawn(command, args, { cwd: root, stdio: 'inherit', env: { ...toolEnvironment, ...environment } })
    running = child
    child.once('error', (error) => {
      console.error(`cannot run ${command}: ${error.message}`)
      resolve(127)
    })
    child.once('exit', (code) => resolve(code ?? 1))
  })
}

function stop(signal: NodeJS.Signals): void {
  running?.once('exit', () => process.exit(signal === 'SIGINT' ? 130 : 143))
  if (running === undefined || !running.kill(signal)) process.exit(143)
}
