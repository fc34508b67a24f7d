import type { Ctx } from '../../../server/context.ts'
import { common, fieldRefusal } from '../../../shared/errors.ts'
import { missingPictures, uploadedBy } from '../../files/server/pictures.ts'
import type { InvoiceDetail } from '../contract.ts'
import { invoiceErrors, taxOf } from '../rules.ts'

/** What stands on an invoice that was issued, whoever says so. */
export type Issued = { issuedNo: string; file: string; taxRateBp?: number | undefined }
export type Reversed = { redNo: string }
type Fields = Record<string, unknown>

/**
 * How an approved request becomes an invoice: the adapter to whoever asks the tax office. `begin` runs
 * in the act that approves: a driver of a service inserts its durable work there, and calls it outside
 * of every act. `issued` and `reversed` are what its answer changes, and the verbs of the same names
 * are the only way there, so limits, numbers and red ones hold for every driver.
 */
export type IssuingDriver = {
  begin(ctx: Ctx, invoice: InvoiceDetail): Promise<void>
  issued(ctx: Ctx, invoice: InvoiceDetail, said: Issued): Promise<Fields>
  reversed(ctx: Ctx, invoice: InvoiceDetail, said: Reversed): Promise<Fields>
}

/** Somebody asks the tax office himself and registers the number with the file. */
export const manual: IssuingDriver = {
  async begin() {},
  async issued(ctx, { amount, taxRateBp: usual }, { issuedNo, file, taxRateBp = usual }) {
    if ((await missingPictures(ctx, [file], uploadedBy(ctx))).length)
      throw fieldRefusal(common.notFound, 'file')
    return {
      ...{ issued_no: issuedNo, issued_at: ctx.now, file },
      ...{ tax_rate_bp: taxRateBp, tax_amount: taxOf(amount, taxRateBp) },
    }
  },
  async reversed(ctx, { issuedNo }, { redNo }) {
    if (redNo === issuedNo) throw fieldRefusal(invoiceErrors.issuedTaken, 'redNo')
    return { red_no: redNo, red_at: ctx.now, next_at: null }
  },
}

/** The driver of an issuer: there is one so far. */
export const issuingOf = (_issuerOrgId: number): IssuingDriver => manual
