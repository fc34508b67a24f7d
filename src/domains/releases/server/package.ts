import type { FastifyRequest } from 'fastify'
import type { App, Ctx } from '../../../server/context.ts'
import { tenantOf } from '../../../server/shares.ts'
import { Overrun, openThreads } from '../../../server/threads.ts'
import { fieldRefusal } from '../../../shared/errors.ts'
import { checkRoom, keepStream } from '../../files/server/verbs.ts'
import { packageLimit, type ReleaseKind, releaseErrors } from '../rules.ts'
import type { Package, PackageWork } from './packageThread.ts'

const looking = openThreads<PackageWork>(new URL('./packageThread.ts', import.meta.url), {
  ...{ threads: 1, waiting: 5, seconds: 10, megabytes: 128 },
  apart: true,
})
const forms = {
  APK: { extension: 'apk', mime: 'application/vnd.android.package-archive' },
  FIRMWARE: { extension: 'bin', mime: 'application/octet-stream' },
} as const

async function look(app: App, kind: ReleaseKind, name: string, tenant: number): Promise<Package> {
  const found = await looking(
    'look',
    { path: app.files.path(name), kind },
    { orgId: tenant },
  ).catch((error: unknown) => {
    if (!(error instanceof Overrun)) throw error
    return { fault: kind === 'APK' ? 'notApk' : 'notFirmware' } as const
  })
  if ('fault' in found) throw fieldRefusal(releaseErrors[found.fault], 'file')
  return found
}
/** What a file that was kept says of itself; one that is gone says nothing. */
export const readPackage = (app: App, kind: ReleaseKind, url: string): Promise<Package> =>
  look(app, kind, url.slice('files/'.length), 0)

/** The package of a form, kept as it comes and then looked into: what it says of itself. */
export async function takePackage(
  app: App,
  kind: ReleaseKind,
  request: FastifyRequest,
  actor: Ctx['actor'],
): Promise<{ file: string; size: number; sha256: string; package: Package }> {
  await checkRoom(app, actor)
  const kept = await keepStream(app, actor, request, {
    ...forms[kind],
    most: packageLimit,
    errors: {
      notMultipart: releaseErrors.notMultipart,
      tooLarge: releaseErrors.fileTooLarge,
      noFile: releaseErrors.noFile,
    },
    check: (name) => look(app, kind, name, tenantOf(actor)),
  })
  const { checked, ...file } = kept
  return { ...file, package: checked }
}
