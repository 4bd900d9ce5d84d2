// One round trip with the TypeScript client: what the types say is what the service does.
import createClient from "openapi-fetch";
import type { components, paths } from "./api.js";

declare const process: { env: Record<string, string | undefined> };

/** An amount that no binary float can hold. */
const AMOUNT = "9999999999.99";

function equal<T>(left: T, right: T, what: string): void {
  if (left !== right) throw new Error(`${what}: ${String(left)} is not ${String(right)}`);
}

/** The answer, or an error with the problem's code. */
function answered<T>(reply: { data?: T; error?: components["schemas"]["Problem"] }): T {
  if (reply.data === undefined) throw new Error(`refused: ${reply.error?.code} ${reply.error?.detail}`);
  return reply.data;
}

const baseUrl = process.env["FINANCE_URL"] ?? "";
const body = { name: process.env["FINANCE_USER"] ?? "", password: process.env["FINANCE_PASSWORD"] ?? "" };
const login = answered(await createClient<paths>({ baseUrl }).POST("/api/auth/login", { body }));
const client = createClient<paths>({ baseUrl, headers: { Authorization: `Bearer ${login.token}` } });

const category = answered(await client.POST("/api/categories", { body: { name: "TypeScript" } }));
const header = { "Idempotency-Key": "typescript-1" };
const bought: components["schemas"]["TransactionBody"] = {
  type: "expense", date: "2026-01-31", description: "Padaria", amount: AMOUNT, category_id: category.id,
};
const first = await client.POST("/api/transactions", { params: { header }, body: bought });
const second = await client.POST("/api/transactions", { params: { header }, body: bought });
equal(answered(second).id, answered(first).id, "sent twice, done once");
equal(second.response.headers.get("Idempotency-Replayed"), "true", "replayed");

const query = { category_id: category.id, month: "2026-01" };
const listed: components["schemas"]["Transaction"][] = answered(await client.GET("/api/transactions", { params: { query } }));
equal(listed.length, 1, "listed");
const amount: string | undefined = listed[0]?.amount;
equal(amount, AMOUNT, "the amount, digit by digit");

// A number is an amount too; one that is not is told by field.
answered(await client.POST("/api/transactions", { body: { ...bought, amount: 12.5 } }));
const refused = await client.POST("/api/transactions", { body: { ...bought, amount: "12.345" } });
equal(refused.error?.code, "ErrValidation", "the problem's code");
equal(refused.error?.errors?.[0]?.field, "amount", "the problem's field");
console.log(`TypeScript: ${amount} came back as it was sent`);
