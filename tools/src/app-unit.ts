import { spawn, type ChildProcess } from 'node:child_process'
import { closeSync, openSync } from 'node:fs'
import { join } from 'node:path'
import type { HeldPort } from '@herald/embedded/held-port'
import type { AppName } from '@herald/contracts/call'
import type { LogFile } from './logs.ts'
import { servicesDirectory } from './pages.ts'
import { howItEnded, type Unit } from './supervisor.ts'
import { root } from './workspace.ts'

/** A service that is not ready after this many milliseconds counts as failed. */
const readyWithinMs = 60_000

export type AppOptions = {
  /** The services that the process runs; none for the simulator. */
  services?: readonly AppName[]
  /** The name of the process, such as `gateway-1`. */
  name: string
  environment: NodeJS.ProcessEnv
  log: LogFile
  /** The socket on which the process listens, instead of opening a port. It is passed as descriptor 3, as systemd does (sd_listen_fds(3)). */
  listenOn?: HeldPort
  /** Called with the message in which the service says that it is ready. */
  onReady?: (message: object) => void
}

/**
 * Makes the unit for one process of services, or of the simulator. It sends `{ready: true}` on its IPC channel, stops when that closes, writes its log
 * itself, and has a process group of its own, for Ctrl-C.
 */
export function appUnit({ services, name, environment, log, listenOn, onReady }: AppOptions): Unit {
  return {
    name,
    stopSignal: 'SIGTERM',
    killSignal: 'SIGKILL',
    start(onSpawn) {
      const file = openSync(log.path, 'a')
      const [program, ...args] = services === undefined ? ['simulator.mjs'] : ['server.mjs', '--service', services.join(',')]
      const child = spawn(process.execPath, [join(servicesDirectory, program), ...args], {
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
