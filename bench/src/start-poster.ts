import { fork } from 'node:child_process'
import { join } from 'node:path'
import type { PostJob, PostResult } from './poster.ts'

/**
 * Starts the process that posts. It does one job at a time. `post` rejects when the status of an answer is not the `status` of the job, because the
 * figures would then measure something else.
 */
export function startPoster() {
  const child = fork(join(import.meta.dirname, 'poster.ts'), [], { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] })
  return {
    post: (job: PostJob): Promise<PostResult> =>
      new Promise((done, fail) => {
        const ended = (code: number | null) => fail(new Error(`the process that posts ended with ${code}`))
        child.once('exit', ended)
        child.once('message', (message: { result: PostResult } | { error: string }) => {
          child.off('exit', ended)
          if ('error' in message) return fail(new Error(message.error))
          const { wrong, wrongCount } = message.result
          if (wrongCount > 0) return fail(new Error(`void: ${wrongCount} requests were answered wrongly: ${wrong.join(' | ')}`))
          done(message.result)
        })
        child.send(job)
      }),
    stop: (): void => void (child.connected && child.disconnect()),
  }
}

export type Poster = ReturnType<typeof startPoster>
