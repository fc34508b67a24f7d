import type { FastifyInstance } from 'fastify'
import { Refusal } from '../shared/errors.ts'
import { answerError } from './answers.ts'
import type { App } from './context.ts'

/** The live channel of a browser: `{topics}` whenever rows the user may see changed. The session is checked at each ping and whenever rights change;
 * an open stream alone does not keep it from timing out. */
export function serveEvents(http: FastifyInstance, app: App): void {
  http.get('/api/me/events', async (request, reply) => {
    try {
      const person = () => app.product.signedIn(app, request, undefined, { watching: true })
      const actor = await person()
      app.live.stream(reply, actor, () =>
        person().catch((error: unknown) => {
          if (error instanceof Refusal) return null
          throw error
        }),
      )
    } catch (error) {
      return answerError(app, error, request, reply)
    }
  })
}
