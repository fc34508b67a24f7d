import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Alias, Given } from './alias.ts'
import { answerError } from './answers.ts'
import type { App } from './context.ts'
import { callOn, refuseOtherMethods } from './http.ts'

/**
 * The specification's sample-server paths: the same operations under its names (settled difference
 * 13).
 */
export function serveAliases(http: FastifyInstance, app: App): void {
  const methods = new Map<string, Set<string>>()
  for (const alias of app.product.aliases) {
    for (const method of methodsOf(app, alias)) {
      http.route({
        method,
        url: alias.path,
        exposeHeadRoute: false,
        handler: (request, reply) => serve(app, alias, request, reply),
      })
      methods.set(alias.path, (methods.get(alias.path) ?? new Set()).add(method))
    }
  }
  refuseOtherMethods(http, app, methods)
}

/**
 * A write that the sample server does with GET answers POST always, GET while the setting allows
 * it.
 */
function methodsOf(app: App, alias: Alias): string[] {
  if (!alias.writes) return [alias.method]
  return app.config.aliasGet ? [alias.method, 'POST'] : ['POST']
}

async function serve(
  app: App,
  alias: Alias,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<unknown> {
  try {
    await app.product.signedIn(app, request)
    const answer = await alias.answer(callOn(app, request, reply), given(request), app.now())
    if (Array.isArray(answer)) return reply.send(answer)
    return reply.send({
      code: 200,
      message: 'success',
      ...(typeof answer === 'object' ? answer : {}),
    })
  } catch (error) {
    return answerError(app, error, request, reply)
  }
}

function given(request: FastifyRequest): Given {
  const body =
    typeof request.body === 'object' && request.body !== null && !Array.isArray(request.body)
      ? request.body
      : {}
  return { ...(request.query as Given), ...body, ...(request.params as Given) }
}
