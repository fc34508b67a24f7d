import { z } from 'zod'
import { read, write } from '../../shared/contract.ts'
import * as f from '../../shared/fields.ts'
import { bi } from '../../shared/text.ts'
import { factorCode, factorEndpoints, factorErrors } from './factorContract.ts'
import { CurrentUser } from './shapes.ts'

const enter = bi('请输入密码', 'Enter your password')

/** What every page needs of the session; apart from contract.ts because the shell loads it first. */
export const shellEndpoints = {
  user: read('self', { path: '/auth/user', summary: 'The signed-in user with menus and permissions', output: CurrentUser }),
  logout: write('self', { path: '/auth/logout', summary: 'End this session', audit: 'session.logout', output: f.done }),
  factor: factorEndpoints.factor,
  prove: write('self', {
    path: '/session/prove',
    summary: 'Shows that it is still the same person: the code where the second factor is on, else the password',
    audit: 'session.prove',
    guessable: true,
    errors: [factorErrors.wrongFactor, factorErrors.wrongProof, factorErrors.proofShut],
    input: z
      .strictObject({ password: z.string(enter).min(1, enter).max(128).optional(), code: factorCode.optional() })
      .refine((v) => v.password !== undefined || v.code !== undefined, { path: ['password'], message: enter }),
    output: f.done,
  }),
  preferences: read('self', { path: '/me/preferences', summary: 'Column settings and the like', output: z.record(z.string(), z.unknown()) }),
  savePreference: write('self', {
    method: 'PUT',
    path: '/me/preferences',
    summary: 'Keep one preference',
    audit: { none: 'layout of a screen, not an act' },
    input: z.strictObject({ key: z.string().regex(/^[a-z][\w.:/-]{0,99}$/i), value: z.unknown() }),
    output: f.done,
  }),
}
