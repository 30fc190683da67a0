import { spawn, type ChildProcess } from 'node:child_process'
import { closeSync, openSync } from 'node:fs'
import type { HeldPort } from '@herald/embedded/held-port'
import type { ProcessName } from './apps.ts'
import type { LogFile } from './logs.ts'
import { howItEnded, type Unit } from './supervisor.ts'
import { root } from './workspace.ts'

/** An app that is not ready after this time will never be. */
const readyWithinMs = 60_000

export type AppOptions = {
  app: ProcessName
  /** `gateway-1`, `dispatcher-2`. */
  name: string
  environment: NodeJS.ProcessEnv
  log: LogFile
  /** The socket on which it listens, in the place of a port of its own. It is passed as descriptor 3, as systemd does (sd_listen_fds(3)). */
  listenOn?: HeldPort
  /** Is called with the message by which the app says that it is ready. */
  onReady?: (message: object) => void
}

/**
 * One process of an app. It is ready when it sends `{ready: true}` over its IPC channel; when the channel closes it knows
 * that the starter has ended, and stops. It has a process group of its own, so that a Ctrl-C in the terminal reaches only the starter,
 * which stops the apps in their order. It writes its log file itself.
 */
export function appUnit({ app, name, environment, log, listenOn, onReady }: AppOptions): Unit {
  return {
    name,
    stopSignal: 'SIGTERM',
    killSignal: 'SIGKILL',
    start(onSpawn) {
      const file = openSync(log.path, 'a')
      const child = spawn(process.execPath, [`apps/${app}/src/main.ts`], {
        cwd: root,
        env: listenOn === undefined ? environment : { ...environment, LISTEN_FDS: '1' },
        detached: true,
        stdio: ['ignore', file, file, ...(listenOn === undefined ? [] : [listenOn.fd]), 'ipc'],
      })
      closeSync(file)
      if (child.pid !== undefined) onSpawn(child)
      return untilReady(child, onReady)
    },
  }
}

function untilReady(child: ChildProcess, onReady: ((message: object) => void) | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const tooLate = setTimeout(() => child.kill('SIGKILL'), readyWithinMs)
    child.on('message', (message) => {
      if (typeof message !== 'object' || !('ready' in message) || message.ready !== true) return
      clearTimeout(tooLate)
      onReady?.(message)
      resolve()
    })
    child.once('error', reject)
    child.once('exit', () => {
      clearTimeout(tooLate)
      reject(new Error(`${howItEnded(child)} before it was ready`))
    })
  })
}
