import { Healthy } from './answers.ts'
import { Reply, route } from './route.ts'

export const health = [
  route({
    name: 'readHealth',
    method: 'get',
    path: '/health',
    key: 'none',
    withoutDatabase: true,
    status: 200,
    summary: 'Whether the service takes requests',
    description: '503 while the database is unreachable or frozen.',
    answers: Healthy,
    async answer({ watch }) {
      return watch.up ? { status: 'ok', db: 'ready' } : new Reply({ status: 'unavailable', db: 'unreachable' }, { status: 503 })
    },
  }),
]
