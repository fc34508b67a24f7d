import type { FastifyInstance } from 'fastify'
import { answerError } from '../../../server/answers.ts'
import type { App } from '../../../server/context.ts'
import { tokenOf } from '../../../server/rateKeys.ts'
import { Refusal } from '../../../shared/errors.ts'
import { workbenchErrors } from '../rules.ts'
import { listenerOf } from './links.ts'

/**
 * The live channel of a wall: names of what changed, for a display link. It looks again who it is
 * at each ping, and at once when the link is revoked.
 */
export function serveScreens(http: FastifyInstance, app: App): void {
  http.get('/api/screen/events', async (request, reply) => {
    try {
      const code = tokenOf(request)
      const listener = await listenerOf(app, code)
      if (!listener) throw new Refusal(workbenchErrors.linkOver)
      app.live.stream(reply, listener, () => listenerOf(app, code))
    } catch (error) {
      return answerError(app, error, request, reply)
    }
  })
}
