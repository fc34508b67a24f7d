import { Alert, Form } from 'antd'
import { useTranslation } from 'react-i18next'
import { useParams, useSearchParams } from 'react-router'
import { say } from '../../../shared/text.ts'
import { useRead } from '../../../web/api.ts'
import { FormPage, Section } from '../../../web/FormPage.tsx'
import { Field, Fixed, ImageField, MoneyField, NumberField, RadioField, SelectField, TextField } from '../../../web/form/fields.tsx'
import { pickFor, type Values } from '../../../web/form/values.ts'
import { usePrefs } from '../../../web/prefs.ts'
import { products } from '../contract.ts'
import { type DrugClass, dosageForms, marginPermille, nearExpiryDefault, retailAboveCost } from '../rules.ts'
import { CategorySelect } from './pickers.tsx'
import styles from './products.module.css'

const blank: Values = { drugClass: 'NONE', status: 'ON', purchaseLimit: 0, images: [], detailImages: [] }

/** Create, copy (`?from=12`) and edit. */
export function ProductForm() {
  const { t } = useTranslation(['products', 'web'])
  const { id } = useParams()
  const [search] = useSearchParams()
  const from = id ?? search.get('from') ?? undefined
  const loaded = useRead(products.get, { id: Number(from) }, { inline: true, enabled: from !== undefined })
  const data = loaded.data
  const page = { ns: 'products', back: '/product/product-manage', ...(from ? { loaded } : {}) }
  const sections = <Sections fresh={id === undefined} inherited={id !== undefined && data?.source === 'INHERITED'} />
  if (id) {
    return (
      <FormPage
        {...page}
        title={t('form.editTitle')}
        subtitle={data ? `${data.name} ${data.model}` : ''}
        tab={data?.name ?? ''}
        save={products.edit}
        success="products:success.edit"
        initial={data ? pickFor(products.edit.input, data) : {}}
      >
        {sections}
      </FormPage>
    )
  }
  // a copy gets a barcode of its own
  const initial = data ? pickFor(products.create.input, { ...data, barcode: null }) : blank
  return (
    <FormPage {...page} title={t('form.createTitle')} save={products.create} success="products:success.create" initial={initial}>
      {sections}
    </FormPage>
  )
}

function Sections({ fresh, inherited }: { fresh: boolean; inherited: boolean }) {
  const { t } = useTranslation(['products', 'web'])
  const drugClass = (Form.useWatch('drugClass') as DrugClass | undefined) ?? 'NONE'
  return (
    <>
      <Section title={t('form.basic')} purpose={t('form.basicHint')}>
        {inherited ? <Alert className={styles.banner ?? ''} type="info" showIcon title={t('list.inherited')} /> : null}
        <TextField name="name" count />
        <TextField name="model" count />
        <Field name="categoryId">
          <CategorySelect />
        </Field>
        <SelectField name="drugClass" />
        <TextField name="barcode" hint={t('form.scan')} />
        {fresh ? <RadioField name="status" wide={false} /> : null}
      </Section>
      <Section title={t('form.prices')} purpose={t('form.pricesHint')}>
        <MoneyField name="costPrice" />
        <MoneyField name="retailPrice" />
        <Margin />
      </Section>
      <Section title={t('form.pictures')} purpose={t('form.picturesHint')}>
        <ImageField name="images" max={5} />
        <ImageField name="detailImages" max={5} />
      </Section>
      {drugClass === 'NONE' ? null : (
        <Section title={t('form.drug')} purpose={t('form.drugHint')}>
          {drugClass === 'OTC_B' ? null : <Alert className={styles.banner ?? ''} type="warning" showIcon title={t('form.drugBanner')} />}
          <TextField name="approvalNo" required placeholder="国药准字Z20147726" />
          <SelectField name="dosageForm" required options={dosageForms.map((value) => ({ value, label: t(`enums.dosageForm.${value}`) }))} />
          <TextField name="manufacturer" required wide />
          <NumberField name="storeTempMin" precision={1} min={-40} max={60} unit="°C" />
          <NumberField name="storeTempMax" precision={1} min={-40} max={60} unit="°C" />
        </Section>
      )}
      <Section title={t('form.selling')} purpose={t('form.sellingHint')}>
        <NumberField name="purchaseLimit" min={0} max={999} hint={t('form.noLimit')} />
        <NumberField name="warnQty" min={0} max={199} hint={t('form.byLane')} />
        <NumberField name="nearExpiryDays" min={1} max={720} hint={t('form.days', { n: nearExpiryDefault(drugClass) })} />
      </Section>
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
      {margin === null ? (
        <span className="hd-none">—</span>
      ) : (
        <span className={wrong ? styles.low : undefined} aria-live="polite">
          {(margin / 10).toFixed(1).replace('-', '\u2212')}%{wrong ? ` ${say(wrong.text, lang)}` : ''}
        </span>
      )}
    </Fixed>
  )
}
