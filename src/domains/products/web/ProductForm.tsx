import { Form } from 'antd'
import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import { yuan } from '../../../shared/money.ts'
import { say } from '../../../shared/text.ts'
import { useRead } from '../../../web/api.ts'
import { Section } from '../../../web/FormPage.tsx'
import {
  Field,
  Fixed,
  ImageField,
  MoneyField,
  Note,
  NumberField,
  RadioField,
  SelectField,
  SwitchField,
  TextField,
} from '../../../web/form/fields.tsx'
import { Percent } from '../../../web/Money.tsx'
import { usePrefs } from '../../../web/prefs.ts'
import { RecordPage } from '../../../web/RecordPage.tsx'
import { useMay } from '../../../web/session.ts'
import { Bad } from '../../../web/ui/Text.tsx'
import { useDebounced } from '../../../web/useDebounced.ts'
import { type Product, products } from '../contract.ts'
import {
  approvalNoExample,
  type DrugClass,
  dosageForms,
  marginPermille,
  namePlaces,
  nearExpiryDefault,
  retailAboveCost,
} from '../rules.ts'
import { BarcodeField } from './BarcodeField.tsx'
import { CategorySelect } from './pickers.tsx'

/** Create, copy and edit. A copy gets a barcode of its own. */
export const ProductForm = () => (
  <RecordPage
    ns="products"
    get={products.get}
    create={products.create}
    update={products.edit}
    name={({ name, model }) => [name, model]}
    blank={{ drugClass: 'NONE', images: [] }}
    own={{ barcode: null }}
  >
    {(edited, fresh) => <Sections fresh={fresh} edited={edited} />}
  </RecordPage>
)

function Sections({ fresh, edited }: { fresh: boolean; edited: Product | undefined }) {
  const may = useMay()
  const { t } = useTranslation('products')
  const drugClass = (Form.useWatch('drugClass') as DrugClass | undefined) ?? 'NONE'
  const expiry = t('form.days', { n: nearExpiryDefault(drugClass) })
  const forms = dosageForms.map((value) => ({ value, label: t(`enums.dosageForm.${value}`) }))
  return (
    <>
      <Section title={t('form.basic')} purpose={t('form.basicHint')}>
        {edited?.source === 'INHERITED' ? <Note>{t('inherited')}</Note> : null}
        <TextField name="name" count />
        <TextField name="model" count />
        <Field name="categoryId">
          <CategorySelect />
        </Field>
        <SelectField name="drugClass" />
        <BarcodeField id={edited?.id} />
        {fresh && may('product:publish') ? <RadioField name="status" wide={false} /> : null}
      </Section>
      <Section title={t('form.prices')} purpose={t('form.pricesHint')}>
        <MoneyField name="costPrice" />
        <MoneyField name="retailPrice" />
        <Margin />
        {edited ? <LanesBelow edited={edited} /> : null}
      </Section>
      <Section title={t('form.pictures')} purpose={t('form.picturesHint')}>
        <ImageField name="images" max={5} square />
        <ImageField name="detailImages" max={5} />
      </Section>
      {drugClass === 'NONE' ? null : (
        <Section title={t('form.drug')} purpose={t('form.drugHint')}>
          <Note type={drugClass === 'OTC_B' ? 'info' : 'warning'}>{t('form.drugBanner')}</Note>
          <TextField name="genericName" hint={t('form.genericName')} />
          <TextField
            name="approvalNo"
            required
            placeholder={t('form.approvalNo', { example: approvalNoExample })}
          />
          <SelectField name="dosageForm" required options={forms} />
          <TextField name="manufacturer" required wide />
          <NumberField name="storeTempMin" precision={1} min={-40} max={60} unit="°C" />
          <NumberField name="storeTempMax" precision={1} min={-40} max={60} unit="°C" />
          <SelectField name="traceRequired" hint={t('form.traced')} />
          <SwitchField name="specialCompound" />
        </Section>
      )}
      {edited === undefined || drugClass === 'NONE' || !may('medical-insurance:read') ? null : (
        <Section title={t('form.insurance')} purpose={t('form.insuranceHint')}>
          <Fixed label={t('form.insuranceEntries')}>
            <Link to={`/product/medical-insurance?productId=${edited.id}`}>
              {t('form.insuranceLook')}
            </Link>
          </Fixed>
        </Section>
      )}
      <Section title={t('form.selling')} purpose={t('form.sellingHint')}>
        <NumberField name="purchaseLimit" min={0} max={999} hint={t('form.noLimit')} />
        <NumberField name="warnQty" min={0} max={199} hint={t('form.byLane')} />
        <NumberField name="nearExpiryDays" min={1} max={720} hint={expiry} />
        <SelectField
          name="redPackets"
          hint={t(drugClass === 'NONE' ? 'form.packets' : 'form.noPackets')}
        />
      </Section>
    </>
  )
}

/** The new cost is above what these lanes take: their prices rise with it, or it is not saved. */
function LanesBelow({ edited }: { edited: Product }) {
  const { t } = useTranslation('products')
  const may = useMay()
  const costPrice = Number(Form.useWatch('costPrice') ?? Number.NaN)
  const raised = edited.costPrice !== null && costPrice > edited.costPrice
  const cost = useDebounced(raised ? costPrice : 0)
  const below = { id: edited.id, below: cost, pageSize: 20, sort: 'price' } as const
  const { data } = useRead(products.lanes, below, { inline: true, enabled: cost > 0 })
  if (!raised || !data?.total) return null
  const lanes = data.list.map((lane) => `${lane.rtuNumber}-${lane.roadIndex} ${yuan(lane.price)}`)
  return (
    <>
      <Note type="warning">{t('form.lanesBelow', { list: namePlaces(lanes), n: data.total })}</Note>
      {may('lane:price') ? <SwitchField name="raiseLanes" hint={t('form.raiseHint')} /> : null}
    </>
  )
}

/** Follows the two prices while they are typed. */
function Margin() {
  const { t } = useTranslation('products')
  const { lang } = usePrefs()
  const costPrice = Number(Form.useWatch('costPrice') ?? Number.NaN)
  const retailPrice = Number(Form.useWatch('retailPrice') ?? Number.NaN)
  const known = Number.isInteger(costPrice) && Number.isInteger(retailPrice)
  const margin = known ? marginPermille(costPrice, retailPrice) : null
  const wrong = known ? retailAboveCost({ costPrice, retailPrice }) : null
  return (
    <Fixed label={t('fields.margin')}>
      <span aria-live="polite">
        <Percent permille={margin} /> {wrong ? <Bad>{say(wrong.text, lang)}</Bad> : null}
      </span>
    </Fixed>
  )
}
