import { execFile } from 'node:child_process'
import { root, toolEnvironment } from './workspace.ts'

/** Runs a command in the root and answers what it printed; what it is asked to read comes from `input`. Fails with what it said. */
export function ask(command: string, args: string[], input = ''): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = execFile(command, args, { cwd: root, env: toolEnvironment, maxBuffer: 64_000_000 }, (error, stdout, stderr) => {
      if (error) reject(new Error(`${command} ${args.join(' ')}: ${stderr || error.message}`))
      else resolve(stdout)
    })
    child.stdin?.on('error', () => undefined) // it may end without reading
    child.stdin?.end(input)
  })
}
