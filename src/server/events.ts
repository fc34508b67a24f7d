import type { FastifyInstance } from 'fastify'
import { Refusal } from '../shared/errors.ts'
import { answerError } from './answers.ts'
import type { App } from './context.ts'
import { signedIn } from './signedIn.ts'

/** The live channel of a browser: `{topics}` whenever rows the user may see changed. The session is checked at each ping and whenever rights change. */
export function serveEvents(http: FastifyInstance, app: App): void {
  http.get('/api/me/events', async (request, reply) => {
    try {
      const actor = await signedIn(app, request)
      app.live.stream(reply, actor, () =>
        signedIn(app, request).catch((error: unknown) => {
          if (error instanceof Refusal) return null
          throw error
        }),
      )
    } catch (error) {
      return answerError(app, error, request, reply)
    }
  })
}
