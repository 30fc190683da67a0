import { execFile } from 'node:child_process'
import { root, toolEnvironment } from './workspace.ts'

/** Runs a command in the root with `input` as its standard input, and gives what it printed. When it fails, the error has what it printed to stderr. */
export function ask(command: string, args: string[], input = ''): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = execFile(command, args, { cwd: root, env: toolEnvironment, maxBuffer: 64_000_000 }, (error, stdout, stderr) => {
      if (error) reject(new Error(`${command} ${args.join(' ')}: ${stderr || error.message}`))
      else resolve(stdout)
    })
    child.stdin?.on('error', () => undefined) // the command may end without reading its input
    child.stdin?.end(input)
  })
}
