import { createInterface } from 'node:readline/promises'

/** Where a command reads and writes. Tests bring their own. */
export type Terminal = {
  /** The output of the command, for scripts. */
  out: (line: string) => void
  /** Messages to the operator beside the output. */
  say: (line: string) => void
  /** Whether an operator can be asked. */
  isInteractive: boolean
  ask: (question: string) => Promise<string>
  /** Asks without showing what is typed. Piped input is taken as it is. */
  askHidden: (question: string) => Promise<string>
  env: Readonly<Record<string, string | undefined>>
  /** Aborted by Ctrl-C. */
  stop: AbortSignal
}

const longestLine = 10_000

/** The terminal of this process. */
export function openTerminal(): Terminal {
  const stopping = new AbortController()
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stopping.abort())
  // A closed pipe, as after `| head`, ends the command quietly.
  process.stdout.on('error', () => stopping.abort())
  const isInteractive = process.stdin.isTTY && process.stderr.isTTY
  return {
    out: (line) => void process.stdout.write(`${line}\n`),
    say: (line) => void process.stderr.write(`${line}\n`),
    isInteractive,
    async ask(question) {
      const lines = createInterface({ input: process.stdin, output: process.stderr })
      try {
        return (await lines.question(`${question} `, { signal: stopping.signal })).trim()
      } finally {
        lines.close()
      }
    },
    askHidden: (question) => (process.stdin.isTTY ? readHidden(question) : readPiped()),
    env: process.env,
    stop: stopping.signal,
  }
}

function readHidden(question: string): Promise<string> {
  process.stderr.write(`${question} `)
  process.stdin.setRawMode(true)
  process.stdin.setEncoding('utf8')
  return new Promise((resolve, reject) => {
    let typed = ''
    const end = (settle: () => void) => {
      process.stdin.off('data', take)
      process.stdin.setRawMode(false)
      process.stdin.pause()
      process.stderr.write('\n')
      settle()
    }
    const take = (keys: string) => {
      for (const key of keys) {
        if (key === '\r' || key === '\n') return end(() => resolve(typed.trim()))
        if (key === '\u0003' || key === '\u0004') return end(() => reject(new Error('nothing was entered')))
        if (key === '\u007f' || key === '\b') typed = typed.slice(0, -1)
        else if (typed.length < longestLine) typed += key
      }
    }
    process.stdin.on('data', take)
    process.stdin.resume()
  })
}

async function readPiped(): Promise<string> {
  let text = ''
  for await (const part of process.stdin.setEncoding('utf8')) {
    text += part as string
    if (text.length > longestLine) break
  }
  return (text.split('\n')[0] ?? '').trim()
}
