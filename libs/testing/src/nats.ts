import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startNatsServer } from '@herald/embedded/nats-server'
import { atEnd } from './at-end.ts'

/** A nats-server of this test file's own (ready in ~40 ms), stopped when the file is done. Answers its address. */
export async function freshNats(): Promise<string> {
  const storeDir = mkdtempSync(join(tmpdir(), 'herald-nats-'))
  const server = await startNatsServer({ storeDir })
  atEnd(async () => {
    await server.stop()
    rmSync(storeDir, { recursive: true, force: true })
  })
  return server.url
}
