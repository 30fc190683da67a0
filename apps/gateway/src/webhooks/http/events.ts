import { readApp } from '../../apps/manage-app.ts'
import { EventStream } from '../../http/event-stream.ts'
import { route } from '../../http/route.ts'

export const events = [
  route({
    name: 'watchEventsOfApp',
    method: 'get',
    path: '/v1/admin/apps/:appId/events',
    key: 'admin',
    status: 200,
    summary: 'Watch what happens to pushes, as server-sent events: what webhook endpoints would get',
    description:
      '`watching` comes first; then `event` for each event and, when more than 100 came in a second or the stream was not read, `dropped` with how many were left out.',
    mediaType: 'text/event-stream',
    async answer({ db, tail }, { appId }) {
      await readApp(db, appId)
      return new EventStream(await tail.open(appId))
    },
  }),
]
