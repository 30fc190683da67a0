import { connect } from 'node:net'
import { StartError } from './start-error.ts'

/** Whether any server of a NATS_URL (comma-separated) accepts a connection; fails with a sentence when none does. */
export async function checkNats(natsUrl: string): Promise<void> {
  const servers = natsUrl.split(',').map((server) => (server.includes('://') ? server.trim() : `nats://${server.trim()}`))
  if (!servers.every((server) => URL.canParse(server)))
    throw new StartError('NATS_URL must be nats://host:4222, or several with commas between.')
  const hosts = servers.map((server) => new URL(server))
  const answers = await Promise.all(hosts.map(({ hostname, port }) => accepts(hostname, Number(port || 4222))))
  if (answers.includes(true)) return
  throw new StartError(
    `No nats-server answers at ${hosts.map(({ host }) => host).join(', ')} (NATS_URL). Start it with JetStream on, or leave NATS_URL out.`,
  )
}

function accepts(host: string, port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host: host.replace(/^\[|\]$/g, ''), port, timeout: 3_000 }, () => end(true))
    const end = (answer: boolean) => {
      socket.destroy()
      resolve(answer)
    }
    socket.once('error', () => end(false))
    socket.once('timeout', () => end(false))
  })
}
