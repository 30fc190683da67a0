import { spawnSync } from 'node:child_process'

/**
 * How to run a program that refuses root. `self`: this process is not root. `namespace`: a user namespace without rights, whose files stay root's.
 * `user`: another user where namespaces are forbidden; that user must be able to reach the files.
 */
export type Account = { kind: 'self' } | { kind: 'namespace' } | { kind: 'user'; name: string; uid: number; gid: number }

export type Command = { file: string; args: string[]; as: { uid?: number; gid?: number } }

/** Finds out how a program can be run without root's rights. Undefined when this process is root and there is no way. */
export function findAccount(): Account | undefined {
  if (process.getuid?.() !== 0) return { kind: 'self' }
  if (spawnSync('unshare', ['--user', '--', 'true']).status === 0) return { kind: 'namespace' }
  for (const name of ['postgres', 'nobody']) {
    const uid = numberOf(spawnSync('id', ['-u', name], { encoding: 'utf8' }).stdout)
    const gid = numberOf(spawnSync('id', ['-g', name], { encoding: 'utf8' }).stdout)
    if (uid !== undefined && gid !== undefined && uid !== 0) return { kind: 'user', name, uid, gid }
  }
  return undefined
}

/** Gives the command line that runs a program as this account. `unshare` replaces itself by the program, so its pid is the program's. */
export function commandFor(account: Account, file: string, args: string[]): Command {
  if (account.kind === 'namespace') return { file: 'unshare', args: ['--user', '--', file, ...args], as: {} }
  if (account.kind === 'user') return { file, args, as: { uid: account.uid, gid: account.gid } }
  return { file, args, as: {} }
}

function numberOf(text: string | null): number | undefined {
  return text !== null && /^\d+\s*$/.test(text) ? Number(text) : undefined
}
