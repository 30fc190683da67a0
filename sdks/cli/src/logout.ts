import { removeSettings, settingsFile } from './settings.ts'
import type { Terminal } from './terminal.ts'

/** Forgets the address and the token that `herald login` kept on this machine. */
export async function logout(terminal: Terminal): Promise<number> {
  const file = settingsFile(terminal.env)
  terminal.say(
    removeSettings(terminal.env)
      ? `Removed ${file}. Herald still takes the token that was in it: a key ends when it is revoked (dashboard, Keys).`
      : `There is nothing to forget: ${file} does not exist.`,
  )
  if (terminal.env['HERALD_TOKEN']) terminal.say('HERALD_TOKEN is set, and commands go on using it.')
  return 0
}
