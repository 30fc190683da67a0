import { createInterface } from 'node:readline/promises'

/** Where a command reads and writes. Tests pass a terminal that records what is written. */
export type Terminal = {
  /** Writes a line of the result to stdout, which scripts read. */
  out: (line: string) => void
  /** Writes a message for the operator to stderr. */
  say: (line: string) => void
  /** Whether an operator is there who can answer a question. */
  isInteractive: boolean
  ask: (question: string) => Promise<string>
  /** Asks without showing what is typed. When the input is piped, it reads the first line without asking. */
  askHidden: (question: string) => Promise<string>
  env: Readonly<Record<string, string | undefined>>
  /** Aborted by Ctrl-C, by SIGTERM, and when the reader of stdout has ended. */
  stop: AbortSignal
}

const longestLine = 10_000

/** The terminal of this process. */
export function openTerminal(): Terminal {
  const stopping = new AbortController()
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stopping.abort())
  // When the reader of stdout ends, as `head` does, the command ends without an error.
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
