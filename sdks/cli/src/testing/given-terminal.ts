import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import type { Terminal } from '../terminal.ts'

export type GivenTerminal = Terminal & { printed: string[]; said: string[]; end: () => void; home: string }

/** Makes a terminal with an empty home directory, which answers questions with `answers` and records what is written. */
export function givenTerminal({ env = {}, answers = [] }: { env?: Record<string, string>; answers?: string[] } = {}): GivenTerminal {
  const home = mkdtempSync(join(tmpdir(), 'herald-cli-'))
  const stopping = new AbortController()
  const [printed, said]: string[][] = [[], []]
  const answer = () => Promise.resolve(answers.shift() ?? '')
  onTestFinished(() => {
    stopping.abort()
    rmSync(home, { recursive: true, force: true })
  })
  return {
    printed: printed ?? [],
    said: said ?? [],
    home,
    end: () => stopping.abort(),
    out: (line) => void printed?.push(line),
    say: (line) => void said?.push(line),
    isInteractive: answers.length > 0,
    ask: answer,
    askHidden: answer,
    env: { HOME: home, XDG_CONFIG_HOME: join(home, 'config'), XDG_STATE_HOME: join(home, 'state'), ...env },
    stop: stopping.signal,
  }
}
