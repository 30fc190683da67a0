/** Gives what `work` gives, or after `ms` what `late` gives or throws. The work goes on then, and what becomes of it is ignored. */
export async function waitAtMost<Answer, Late>(ms: number, work: Promise<Answer>, late: () => Late): Promise<Answer | Late> {
  const { promise: over, resolve: end } = Promise.withResolvers<void>()
  const timer = setTimeout(end, ms)
  try {
    return await Promise.race([work, over.then(late)])
  } finally {
    clearTimeout(timer)
  }
}
