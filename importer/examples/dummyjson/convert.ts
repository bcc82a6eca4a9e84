// Converts files in the form of DummyJSON to the importer's JSON Lines, on standard output:
// node importer/examples/dummyjson/convert.ts products.json customers.json > shop.jsonl
import { readFile } from 'node:fs/promises'
import { pathToFileURL } from 'node:url'
import { z } from 'zod'
import { minorUnits } from './minor-units.ts'

const product = z.object({
  title: z.string(),
  description: z.string(),
  category: z.string(),
  price: z.number(),
  stock: z.number(),
  tags: z.array(z.string()),
  sku: z.string(),
  reviews: z.array(z.object({ rating: z.number(), comment: z.string(), reviewerName: z.string() })),
  images: z.array(z.string()),
})

const customer = z.object({
  firstName: z.string(),
  lastName: z.string(),
  email: z.string(),
  phone: z.string(),
  address: z.object({
    line1: z.string(),
    city: z.string(),
    state: z.string(),
    postalCode: z.string(),
    country: z.string(),
  }),
})

const records = z.array(z.union([product, customer]))

/** The importer's rows for the records of one file. */
export const convert = (fileContent: string): object[] =>
  records.parse(JSON.parse(fileContent)).map((one) => ('sku' in one ? productRow(one) : customerRow(one)))

const productRow = ({ title, category, price, reviews, ...rest }: z.infer<typeof product>) => ({
  type: 'product',
  ...rest,
  name: title,
  price: minorUnits(price),
  currency: 'USD',
  status: 'ACTIVE',
  categories: [category],
  reviews: reviews.map(({ rating, comment, reviewerName }) => ({
    authorName: reviewerName,
    rating,
    body: comment,
    status: 'APPROVED',
  })),
})

const customerRow = ({ firstName, lastName, address, ...rest }: z.infer<typeof customer>) => ({
  type: 'customer',
  ...rest,
  name: `${firstName} ${lastName}`,
  addresses: [address],
})

async function main(files: readonly string[]): Promise<void> {
  if (files.length === 0 || files.includes('--help')) {
    console.error('Usage: node importer/examples/dummyjson/convert.ts FILE… > shop.jsonl')
    process.exitCode = 2
    return
  }
  for (const file of files) {
    for (const row of convert(await readFile(file, 'utf8'))) console.log(JSON.stringify(row))
  }
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) await main(process.argv.slice(2))
